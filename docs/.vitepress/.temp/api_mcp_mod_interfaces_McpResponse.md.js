import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: McpResponse","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/mod/interfaces/McpResponse.md","filePath":"api/mcp/mod/interfaces/McpResponse.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/McpResponse.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-mcpresponse" tabindex="-1">Interface: McpResponse <a class="header-anchor" href="#interface-mcpresponse" aria-label="Permalink to &quot;Interface: McpResponse&quot;">​</a></h1><p>A JSON-RPC response with <code>result</code> on success or <code>error</code> on failure.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-error"></a> <code>error?</code></td><td><code>readonly</code></td><td><a href="./McpErrorObject"><code>McpErrorObject</code></a></td><td>Error object. Present on failure.</td></tr><tr><td><a id="property-id"></a> <code>id</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/McpRequestId"><code>McpRequestId</code></a></td><td>Id of the request.</td></tr><tr><td><a id="property-jsonrpc"></a> <code>jsonrpc</code></td><td><code>readonly</code></td><td><code>&quot;2.0&quot;</code></td><td>Always <code>&quot;2.0&quot;</code>.</td></tr><tr><td><a id="property-result"></a> <code>result?</code></td><td><code>readonly</code></td><td><code>unknown</code></td><td>Result of the method. Present on success.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/McpResponse.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const McpResponse = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  McpResponse as default
};
