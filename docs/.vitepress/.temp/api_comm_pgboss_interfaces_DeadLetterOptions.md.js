import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: DeadLetterOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/pgboss/interfaces/DeadLetterOptions.md","filePath":"api/comm/pgboss/interfaces/DeadLetterOptions.md"}');
const _sfc_main = { name: "api/comm/pgboss/interfaces/DeadLetterOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-deadletteroptions" tabindex="-1">Interface: DeadLetterOptions <a class="header-anchor" href="#interface-deadletteroptions" aria-label="Permalink to &quot;Interface: DeadLetterOptions&quot;">​</a></h1><p>Options for <code>deadLetters</code> and <code>redrive</code> of a <a href="./MessageQueue"><code>MessageQueue</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-limit"></a> <code>limit?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of dead letters, the oldest first. <strong>Default</strong> <code>{1000}</code></td></tr><tr><td><a id="property-signal"></a> <code>signal?</code></td><td><code>readonly</code></td><td><code>AbortSignal</code></td><td>Aborts the operation.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/pgboss/interfaces/DeadLetterOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const DeadLetterOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  DeadLetterOptions as default
};
