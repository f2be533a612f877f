import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: ExpectedError","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/conformance/mod/type-aliases/ExpectedError.md","filePath":"api/conformance/mod/type-aliases/ExpectedError.md"}');
const _sfc_main = { name: "api/conformance/mod/type-aliases/ExpectedError.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-expectederror" tabindex="-1">Type Alias: ExpectedError <a class="header-anchor" href="#type-alias-expectederror" aria-label="Permalink to &quot;Type Alias: ExpectedError&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> ExpectedError</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> object</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Matchers for an expected error.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th></tr></thead><tbody><tr><td><a id="property-code"></a> <code>code?</code></td><td><code>readonly</code></td><td><a href="./Matcher"><code>Matcher</code></a></td></tr><tr><td><a id="property-data"></a> <code>data?</code></td><td><code>readonly</code></td><td><a href="./Matcher"><code>Matcher</code></a></td></tr><tr><td><a id="property-message"></a> <code>message?</code></td><td><code>readonly</code></td><td><a href="./Matcher"><code>Matcher</code></a></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/mod/type-aliases/ExpectedError.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ExpectedError = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ExpectedError as default
};
