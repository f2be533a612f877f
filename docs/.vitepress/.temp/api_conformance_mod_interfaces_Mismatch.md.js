import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: Mismatch","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/conformance/mod/interfaces/Mismatch.md","filePath":"api/conformance/mod/interfaces/Mismatch.md"}');
const _sfc_main = { name: "api/conformance/mod/interfaces/Mismatch.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-mismatch" tabindex="-1">Interface: Mismatch <a class="header-anchor" href="#interface-mismatch" aria-label="Permalink to &quot;Interface: Mismatch&quot;">​</a></h1><p>The first difference between a value and its expectation.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-actual"></a> <code>actual</code></td><td><code>readonly</code></td><td><code>unknown</code></td><td>Value at the path. <code>undefined</code> if there is none.</td></tr><tr><td><a id="property-expected"></a> <code>expected</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Expected value.</td></tr><tr><td><a id="property-got"></a> <code>got</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Actual value.</td></tr><tr><td><a id="property-matcher"></a> <code>matcher</code></td><td><code>readonly</code></td><td><code>unknown</code></td><td>Matcher at the path.</td></tr><tr><td><a id="property-path"></a> <code>path</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Path in the value, such as <code>$</code> or <code>$.messages[0].role</code>.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/mod/interfaces/Mismatch.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Mismatch = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Mismatch as default
};
