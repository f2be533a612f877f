import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: McpRequest","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/mod/interfaces/McpRequest.md","filePath":"api/mcp/mod/interfaces/McpRequest.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/McpRequest.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-mcprequest" tabindex="-1">Interface: McpRequest <a class="header-anchor" href="#interface-mcprequest" aria-label="Permalink to &quot;Interface: McpRequest&quot;">​</a></h1><p>A JSON-RPC request.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./../../protocol/interfaces/RpcRequest"><code>RpcRequest</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-id"></a> <code>id</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/McpRequestId"><code>McpRequestId</code></a></td><td>Request id, repeated in the response.</td></tr><tr><td><a id="property-jsonrpc"></a> <code>jsonrpc</code></td><td><code>readonly</code></td><td><code>&quot;2.0&quot;</code></td><td>Always <code>&quot;2.0&quot;</code>.</td></tr><tr><td><a id="property-method"></a> <code>method</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Method name, such as <code>tools/list</code>.</td></tr><tr><td><a id="property-params"></a> <code>params?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>unknown</code>&gt;&gt;</td><td>Parameters of the method.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/McpRequest.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const McpRequest = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  McpRequest as default
};
