import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Variable: FINISH_REASONS","description":"","frontmatter":{},"headers":[],"relativePath":"api/runtime/mod/variables/FINISH_REASONS.md","filePath":"api/runtime/mod/variables/FINISH_REASONS.md"}');
const _sfc_main = { name: "api/runtime/mod/variables/FINISH_REASONS.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="variable-finish-reasons" tabindex="-1">Variable: FINISH_REASONS <a class="header-anchor" href="#variable-finish-reasons" aria-label="Permalink to &quot;Variable: FINISH\\_REASONS&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">const</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> FINISH_REASONS</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">:</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> readonly</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> [</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&quot;stop&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">, </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&quot;tool-calls&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">, </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&quot;length&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">, </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&quot;content-filter&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">, </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&quot;error&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">, </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&quot;interrupted&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">, </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&quot;other&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">];</span></span></code></pre></div><p>All finish reasons, as spelled by the AI SDK.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/variables/FINISH_REASONS.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const FINISH_REASONS = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  FINISH_REASONS as default
};
