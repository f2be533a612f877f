import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: ApprovalReason","description":"","frontmatter":{},"headers":[],"relativePath":"api/runtime/mod/type-aliases/ApprovalReason.md","filePath":"api/runtime/mod/type-aliases/ApprovalReason.md"}');
const _sfc_main = { name: "api/runtime/mod/type-aliases/ApprovalReason.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-approvalreason" tabindex="-1">Type Alias: ApprovalReason <a class="header-anchor" href="#type-alias-approvalreason" aria-label="Permalink to &quot;Type Alias: ApprovalReason&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> ApprovalReason</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;approval&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;outcome_unknown&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Why a decision on a tool call is needed:</p><ul><li><code>&quot;approval&quot;</code>: the call was not executed yet.</li><li><code>&quot;outcome_unknown&quot;</code>: the run was interrupted while the tool was running, so the call may have had an effect. An approval executes the tool again.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/type-aliases/ApprovalReason.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ApprovalReason = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ApprovalReason as default
};
