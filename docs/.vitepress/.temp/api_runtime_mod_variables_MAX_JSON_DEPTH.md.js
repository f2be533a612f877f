import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Variable: MAX_JSON_DEPTH","description":"","frontmatter":{},"headers":[],"relativePath":"api/runtime/mod/variables/MAX_JSON_DEPTH.md","filePath":"api/runtime/mod/variables/MAX_JSON_DEPTH.md"}');
const _sfc_main = { name: "api/runtime/mod/variables/MAX_JSON_DEPTH.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="variable-max-json-depth" tabindex="-1">Variable: MAX_JSON_DEPTH <a class="header-anchor" href="#variable-max-json-depth" aria-label="Permalink to &quot;Variable: MAX\\_JSON\\_DEPTH&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">const</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> MAX_JSON_DEPTH</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">:</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> 200</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> 200</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Maximum nesting depth of a JSON value. The maximum is higher than real data needs, and recursion to this depth does not overflow the stack.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/variables/MAX_JSON_DEPTH.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const MAX_JSON_DEPTH = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  MAX_JSON_DEPTH as default
};
