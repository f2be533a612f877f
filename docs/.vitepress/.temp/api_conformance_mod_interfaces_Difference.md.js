import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: Difference","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/conformance/mod/interfaces/Difference.md","filePath":"api/conformance/mod/interfaces/Difference.md"}');
const _sfc_main = { name: "api/conformance/mod/interfaces/Difference.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-difference" tabindex="-1">Interface: Difference <a class="header-anchor" href="#interface-difference" aria-label="Permalink to &quot;Interface: Difference&quot;">​</a></h1><p>The first difference between the subject&#39;s value and the expectation, as JSON values.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-at"></a> <code>at</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Path in the subject&#39;s value, such as <code>$</code> or <code>$.messages[0].role</code>.</td></tr><tr><td><a id="property-expected"></a> <code>expected?</code></td><td><code>readonly</code></td><td><code>unknown</code></td><td>Expectation at the path, in the matcher language. Omitted if the JSON text is longer than 4096 characters.</td></tr><tr><td><a id="property-got"></a> <code>got?</code></td><td><code>readonly</code></td><td><code>unknown</code></td><td>Value at the path. Omitted if there is none, or if the JSON text is longer than 4096 characters.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/mod/interfaces/Difference.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Difference = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Difference as default
};
