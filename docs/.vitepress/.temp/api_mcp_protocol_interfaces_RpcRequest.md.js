import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RpcRequest","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extends","slug":"extends","link":"#extends","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/RpcRequest.md","filePath":"api/mcp/protocol/interfaces/RpcRequest.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/RpcRequest.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-rpcrequest" tabindex="-1">Interface: RpcRequest <a class="header-anchor" href="#interface-rpcrequest" aria-label="Permalink to &quot;Interface: RpcRequest&quot;">​</a></h1><p>A request with a valid id.</p><h2 id="extends" tabindex="-1">Extends <a class="header-anchor" href="#extends" aria-label="Permalink to &quot;Extends&quot;">​</a></h2><ul><li><a href="./../../mod/interfaces/McpRequest"><code>McpRequest</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th><th>Overrides</th><th>Inherited from</th></tr></thead><tbody><tr><td><a id="property-id"></a> <code>id</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/RequestId"><code>RequestId</code></a></td><td>Request id, repeated in the response.</td><td><a href="./../../mod/interfaces/McpRequest"><code>McpRequest</code></a>.<a href="./../../mod/interfaces/McpRequest#property-id"><code>id</code></a></td><td>-</td></tr><tr><td><a id="property-jsonrpc"></a> <code>jsonrpc</code></td><td><code>readonly</code></td><td><code>&quot;2.0&quot;</code></td><td>Always <code>&quot;2.0&quot;</code>.</td><td>-</td><td><a href="./../../mod/interfaces/McpRequest"><code>McpRequest</code></a>.<a href="./../../mod/interfaces/McpRequest#property-jsonrpc"><code>jsonrpc</code></a></td></tr><tr><td><a id="property-method"></a> <code>method</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Method name, such as <code>tools/list</code>.</td><td>-</td><td><a href="./../../mod/interfaces/McpRequest"><code>McpRequest</code></a>.<a href="./../../mod/interfaces/McpRequest#property-method"><code>method</code></a></td></tr><tr><td><a id="property-params"></a> <code>params?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>unknown</code>&gt;&gt;</td><td>Parameters of the method.</td><td>-</td><td><a href="./../../mod/interfaces/McpRequest"><code>McpRequest</code></a>.<a href="./../../mod/interfaces/McpRequest#property-params"><code>params</code></a></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/RpcRequest.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RpcRequest = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RpcRequest as default
};
