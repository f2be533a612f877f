import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: McpErrorObject","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/mod/interfaces/McpErrorObject.md","filePath":"api/mcp/mod/interfaces/McpErrorObject.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/McpErrorObject.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-mcperrorobject" tabindex="-1">Interface: McpErrorObject <a class="header-anchor" href="#interface-mcperrorobject" aria-label="Permalink to &quot;Interface: McpErrorObject&quot;">​</a></h1><p>A JSON-RPC error object.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-code"></a> <code>code</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Integer error code; see RpcErrorCode.</td></tr><tr><td><a id="property-data"></a> <code>data?</code></td><td><code>readonly</code></td><td><code>unknown</code></td><td>Additional information about the error.</td></tr><tr><td><a id="property-message"></a> <code>message</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Short description of the error.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/McpErrorObject.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const McpErrorObject = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  McpErrorObject as default
};
