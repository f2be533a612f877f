import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: InvalidFrame","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/InvalidFrame.md","filePath":"api/mcp/protocol/interfaces/InvalidFrame.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/InvalidFrame.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-invalidframe" tabindex="-1">Interface: InvalidFrame <a class="header-anchor" href="#interface-invalidframe" aria-label="Permalink to &quot;Interface: InvalidFrame&quot;">​</a></h1><p>A frame that is not a valid message.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-code"></a> <code>code</code></td><td><code>readonly</code></td><td><code>number</code></td><td>JSON-RPC error code for the response.</td></tr><tr><td><a id="property-id"></a> <code>id</code></td><td><code>readonly</code></td><td><a href="./../../mod/type-aliases/McpRequestId"><code>McpRequestId</code></a></td><td>Request id of the frame, or <code>null</code> if the id is missing or invalid.</td></tr><tr><td><a id="property-isresponse"></a> <code>isResponse</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the frame is an invalid response. No error response is sent for an invalid response.</td></tr><tr><td><a id="property-kind"></a> <code>kind</code></td><td><code>readonly</code></td><td><code>&quot;invalid&quot;</code></td><td>Discriminator of the frame union.</td></tr><tr><td><a id="property-reason"></a> <code>reason</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Error message for the response.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/InvalidFrame.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const InvalidFrame = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  InvalidFrame as default
};
