import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RpcCall","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/conformance/mod/interfaces/RpcCall.md","filePath":"api/conformance/mod/interfaces/RpcCall.md"}');
const _sfc_main = { name: "api/conformance/mod/interfaces/RpcCall.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-rpccall" tabindex="-1">Interface: RpcCall <a class="header-anchor" href="#interface-rpccall" aria-label="Permalink to &quot;Interface: RpcCall&quot;">​</a></h1><p>A JSON-RPC request without its envelope.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-method"></a> <code>method</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Method name.</td></tr><tr><td><a id="property-params"></a> <code>params?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/JsonValue"><code>JsonValue</code></a></td><td>Parameters.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/mod/interfaces/RpcCall.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RpcCall = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RpcCall as default
};
