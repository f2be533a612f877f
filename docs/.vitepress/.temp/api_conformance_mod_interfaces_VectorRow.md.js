import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: VectorRow","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/conformance/mod/interfaces/VectorRow.md","filePath":"api/conformance/mod/interfaces/VectorRow.md"}');
const _sfc_main = { name: "api/conformance/mod/interfaces/VectorRow.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-vectorrow" tabindex="-1">Interface: VectorRow <a class="header-anchor" href="#interface-vectorrow" aria-label="Permalink to &quot;Interface: VectorRow&quot;">​</a></h1><p>One input of a vector and its expected result.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-expect"></a> <code>expect</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/ExpectedOutcome"><code>ExpectedOutcome</code></a></td><td>Expected result.</td></tr><tr><td><a id="property-input"></a> <code>input</code></td><td><code>readonly</code></td><td><a href="./JsonObject"><code>JsonObject</code></a></td><td>The arguments of the operation.</td></tr><tr><td><a id="property-name"></a> <code>name</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the row, or an empty string if the vector has a single row.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/mod/interfaces/VectorRow.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const VectorRow = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  VectorRow as default
};
