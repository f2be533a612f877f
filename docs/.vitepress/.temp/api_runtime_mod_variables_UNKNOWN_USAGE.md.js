import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Variable: UNKNOWN_USAGE","description":"","frontmatter":{},"headers":[],"relativePath":"api/runtime/mod/variables/UNKNOWN_USAGE.md","filePath":"api/runtime/mod/variables/UNKNOWN_USAGE.md"}');
const _sfc_main = { name: "api/runtime/mod/variables/UNKNOWN_USAGE.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="variable-unknown-usage" tabindex="-1">Variable: UNKNOWN_USAGE <a class="header-anchor" href="#variable-unknown-usage" aria-label="Permalink to &quot;Variable: UNKNOWN\\_USAGE&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">const</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> UNKNOWN_USAGE</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">:</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> TokenUsage</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Usage of a model call that reported no token counts.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/variables/UNKNOWN_USAGE.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const UNKNOWN_USAGE = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  UNKNOWN_USAGE as default
};
