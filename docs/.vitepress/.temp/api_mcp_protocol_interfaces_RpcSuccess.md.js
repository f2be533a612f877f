import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RpcSuccess","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/RpcSuccess.md","filePath":"api/mcp/protocol/interfaces/RpcSuccess.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/RpcSuccess.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-rpcsuccess" tabindex="-1">Interface: RpcSuccess <a class="header-anchor" href="#interface-rpcsuccess" aria-label="Permalink to &quot;Interface: RpcSuccess&quot;">​</a></h1><p>A success response.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-id"></a> <code>id</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/RequestId"><code>RequestId</code></a></td><td>Id of the request.</td></tr><tr><td><a id="property-jsonrpc"></a> <code>jsonrpc</code></td><td><code>readonly</code></td><td><code>&quot;2.0&quot;</code></td><td>Always <code>&quot;2.0&quot;</code>.</td></tr><tr><td><a id="property-result"></a> <code>result</code></td><td><code>readonly</code></td><td><a href="./../../mod/type-aliases/JsonObject"><code>JsonObject</code></a></td><td>Result of the method.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/RpcSuccess.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RpcSuccess = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RpcSuccess as default
};
