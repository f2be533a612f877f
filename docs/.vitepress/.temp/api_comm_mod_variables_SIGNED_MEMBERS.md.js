import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Variable: SIGNED_MEMBERS","description":"","frontmatter":{},"headers":[],"relativePath":"api/comm/mod/variables/SIGNED_MEMBERS.md","filePath":"api/comm/mod/variables/SIGNED_MEMBERS.md"}');
const _sfc_main = { name: "api/comm/mod/variables/SIGNED_MEMBERS.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="variable-signed-members" tabindex="-1">Variable: SIGNED_MEMBERS <a class="header-anchor" href="#variable-signed-members" aria-label="Permalink to &quot;Variable: SIGNED\\_MEMBERS&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">const</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> SIGNED_MEMBERS</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">:</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> readonly</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> [</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&quot;correlationId&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">, </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&quot;id&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">, </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&quot;messageType&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">, </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&quot;payload&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">, </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&quot;protocol&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">, </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&quot;recipient&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">, </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&quot;sender&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">];</span></span></code></pre></div><p>Members that a signature covers, in canonical order. If <code>correlationId</code> is absent, the signature covers its absence.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/mod/variables/SIGNED_MEMBERS.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const SIGNED_MEMBERS = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  SIGNED_MEMBERS as default
};
