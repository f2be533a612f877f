import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: AgentMessage","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/AgentMessage.md","filePath":"api/runtime/mod/interfaces/AgentMessage.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/AgentMessage.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-agentmessage" tabindex="-1">Interface: AgentMessage <a class="header-anchor" href="#interface-agentmessage" aria-label="Permalink to &quot;Interface: AgentMessage&quot;">​</a></h1><p>A message from one agent to another.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./TypedMessage"><code>TypedMessage</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-id"></a> <code>id</code></td><td><code>readonly</code></td><td><code>string</code></td><td>UUID of the message.</td></tr><tr><td><a id="property-payload"></a> <code>payload</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/JsonValue"><code>JsonValue</code></a></td><td>Content of the message; any JSON value.</td></tr><tr><td><a id="property-recipientdid"></a> <code>recipientDid</code></td><td><code>readonly</code></td><td><code>string</code></td><td>DID of the recipient.</td></tr><tr><td><a id="property-senderdid"></a> <code>senderDid</code></td><td><code>readonly</code></td><td><code>string</code></td><td>DID of the sender.</td></tr><tr><td><a id="property-timestamp"></a> <code>timestamp</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Creation time as an RFC 3339 timestamp in UTC, with milliseconds and the suffix <code>Z</code>.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/AgentMessage.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const AgentMessage = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  AgentMessage as default
};
