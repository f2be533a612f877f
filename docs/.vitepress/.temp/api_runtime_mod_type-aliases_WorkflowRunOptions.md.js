import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: WorkflowRunOptions","description":"","frontmatter":{},"headers":[],"relativePath":"api/runtime/mod/type-aliases/WorkflowRunOptions.md","filePath":"api/runtime/mod/type-aliases/WorkflowRunOptions.md"}');
const _sfc_main = { name: "api/runtime/mod/type-aliases/WorkflowRunOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-workflowrunoptions" tabindex="-1">Type Alias: WorkflowRunOptions <a class="header-anchor" href="#type-alias-workflowrunoptions" aria-label="Permalink to &quot;Type Alias: WorkflowRunOptions&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> WorkflowRunOptions</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> Pick</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">&lt;</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">RunOptions</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">, </span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;">&quot;signal&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;runId&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;stepRunner&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;decisions&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;onEvent&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">&gt;;</span></span></code></pre></div><p>Options for one run of a workflow. If <code>runId</code>, <code>stepRunner</code> or <code>decisions</code> is set, the agent in step <code>k</code> runs with the run id <code>&lt;runId&gt;/&lt;k&gt;</code>. <code>runId</code> defaults to the workflow&#39;s id.</p><p>To resume a workflow with pending approvals, run it with the same message, <code>runId</code> and <code>stepRunner</code>, and pass the <code>decisions</code>. Without a <code>stepRunner</code>, a resumed workflow executes the finished steps again.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/type-aliases/WorkflowRunOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const WorkflowRunOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  WorkflowRunOptions as default
};
