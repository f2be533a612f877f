import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: LoopEvent","description":"","frontmatter":{},"headers":[],"relativePath":"api/runtime/mod/type-aliases/LoopEvent.md","filePath":"api/runtime/mod/type-aliases/LoopEvent.md"}');
const _sfc_main = { name: "api/runtime/mod/type-aliases/LoopEvent.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-loopevent" tabindex="-1">Type Alias: LoopEvent <a class="header-anchor" href="#type-alias-loopevent" aria-label="Permalink to &quot;Type Alias: LoopEvent&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> LoopEvent</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> LoopEventOrigin</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> &amp;</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> LoopEventTime</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> &amp;</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> LoopEventBody</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>An event emitted during a run. The <code>type</code> of an event is one of:</p><ul><li><code>run_started</code>, <code>run_finished</code>, <code>run_failed</code>: start and end of the run. The last event is either <code>run_finished</code> or <code>run_failed</code>.</li><li><code>iteration_started</code>, <code>iteration_finished</code>: start and end of an iteration, which is a model call and its tool calls.</li><li><code>model_started</code>, <code>model_delta</code>, <code>model_finished</code>, <code>model_retry</code>: progress of a model call. A <code>model_retry</code> event invalidates the <code>model_delta</code> events of the failed attempt.</li><li><code>approval_requested</code>, <code>approval_decided</code>: approval of a tool call. Emitted only if an approval handler or <code>decisions</code> is set, or if the outcome of a call is unknown and <code>onUnknownOutcome</code> is <code>&quot;ask&quot;</code>.</li><li><code>decision_unused</code>: members of <code>decisions</code> that match no tool call of the run. Emitted at most once, directly before <code>run_finished</code>.</li><li><code>tool_started</code>, <code>tool_progress</code>, <code>tool_finished</code>: progress of a tool call. A call that is not executed has no <code>tool_started</code> event.</li><li><code>run_paused</code>, <code>run_resumed</code>: start and end of a pause.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/type-aliases/LoopEvent.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const LoopEvent = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  LoopEvent as default
};
