import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: IncompleteResult","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/client/interfaces/IncompleteResult.md","filePath":"api/mcp/client/interfaces/IncompleteResult.md"}');
const _sfc_main = { name: "api/mcp/client/interfaces/IncompleteResult.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-incompleteresult" tabindex="-1">Interface: IncompleteResult <a class="header-anchor" href="#interface-incompleteresult" aria-label="Permalink to &quot;Interface: IncompleteResult&quot;">​</a></h1><p>A result that an extension must complete, and the request that returned it.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-method"></a> <code>method</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Method of the request.</td></tr><tr><td><a id="property-options"></a> <code>options</code></td><td><code>readonly</code></td><td><a href="./../../mod/interfaces/RequestOptions"><code>RequestOptions</code></a></td><td>Options for the request.</td></tr><tr><td><a id="property-result"></a> <code>result</code></td><td><code>readonly</code></td><td><a href="./../../mod/type-aliases/JsonObject"><code>JsonObject</code></a></td><td>Result without the <code>resultType</code> member.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/client/interfaces/IncompleteResult.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const IncompleteResult = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  IncompleteResult as default
};
