import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ReasoningPart","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/ReasoningPart.md","filePath":"api/runtime/mod/interfaces/ReasoningPart.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/ReasoningPart.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-reasoningpart" tabindex="-1">Interface: ReasoningPart <a class="header-anchor" href="#interface-reasoningpart" aria-label="Permalink to &quot;Interface: ReasoningPart&quot;">​</a></h1><p>The model&#39;s reasoning, which is sent back to the model unchanged.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-provideroptions"></a> <code>providerOptions?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/ProviderOptions"><code>ProviderOptions</code></a></td><td>Provider-specific data.</td></tr><tr><td><a id="property-text"></a> <code>text</code></td><td><code>readonly</code></td><td><code>string</code></td><td>The model&#39;s reasoning as text. The text may be empty if the provider returns only a signature, in <code>providerOptions</code>.</td></tr><tr><td><a id="property-type"></a> <code>type</code></td><td><code>readonly</code></td><td><code>&quot;reasoning&quot;</code></td><td>Type of the part.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/ReasoningPart.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ReasoningPart = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ReasoningPart as default
};
