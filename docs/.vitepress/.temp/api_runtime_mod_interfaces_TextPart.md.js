import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: TextPart","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/TextPart.md","filePath":"api/runtime/mod/interfaces/TextPart.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/TextPart.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-textpart" tabindex="-1">Interface: TextPart <a class="header-anchor" href="#interface-textpart" aria-label="Permalink to &quot;Interface: TextPart&quot;">​</a></h1><p>Text.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-provideroptions"></a> <code>providerOptions?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/ProviderOptions"><code>ProviderOptions</code></a></td><td>Provider-specific data.</td></tr><tr><td><a id="property-text"></a> <code>text</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Text of the part.</td></tr><tr><td><a id="property-type"></a> <code>type</code></td><td><code>readonly</code></td><td><code>&quot;text&quot;</code></td><td>Type of the part.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/TextPart.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const TextPart = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  TextPart as default
};
