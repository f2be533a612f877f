import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: RunErrorCode","description":"","frontmatter":{},"headers":[],"relativePath":"api/runtime/mod/type-aliases/RunErrorCode.md","filePath":"api/runtime/mod/type-aliases/RunErrorCode.md"}');
const _sfc_main = { name: "api/runtime/mod/type-aliases/RunErrorCode.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-runerrorcode" tabindex="-1">Type Alias: RunErrorCode <a class="header-anchor" href="#type-alias-runerrorcode" aria-label="Permalink to &quot;Type Alias: RunErrorCode&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> RunErrorCode</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> </span></span>
<span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">  |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;run_agent_changed&quot;</span></span>
<span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">  |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;run_conflict&quot;</span></span>
<span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">  |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;run_damaged&quot;</span></span>
<span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">  |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;run_fenced&quot;</span></span>
<span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">  |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;run_limit&quot;</span></span>
<span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">  |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;run_not_found&quot;</span></span>
<span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">  |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;run_version_not_accepted&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Codes of errors that concern one durable run.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/type-aliases/RunErrorCode.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RunErrorCode = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RunErrorCode as default
};
