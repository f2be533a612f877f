import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: DeadLetter","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/pgboss/interfaces/DeadLetter.md","filePath":"api/comm/pgboss/interfaces/DeadLetter.md"}');
const _sfc_main = { name: "api/comm/pgboss/interfaces/DeadLetter.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-deadletter" tabindex="-1">Interface: DeadLetter <a class="header-anchor" href="#interface-deadletter" aria-label="Permalink to &quot;Interface: DeadLetter&quot;">​</a></h1><p>A message that could not be processed.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-attempts"></a> <code>attempts</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of deliveries.</td></tr><tr><td><a id="property-json"></a> <code>json</code></td><td><code>readonly</code></td><td><code>string</code></td><td>The stored JSON text of the message.</td></tr><tr><td><a id="property-message"></a> <code>message</code></td><td><code>readonly</code></td><td><a href="./../../mod/classes/AgentCommMessage"><code>AgentCommMessage</code></a> | <code>undefined</code></td><td>The message, or <code>undefined</code> if <code>json</code> is not a valid message.</td></tr><tr><td><a id="property-reason"></a> <code>reason</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Why the message was rejected: the message of the last error.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/pgboss/interfaces/DeadLetter.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const DeadLetter = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  DeadLetter as default
};
