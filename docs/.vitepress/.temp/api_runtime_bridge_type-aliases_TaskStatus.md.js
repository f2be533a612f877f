import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: TaskStatus","description":"","frontmatter":{},"headers":[],"relativePath":"api/runtime/bridge/type-aliases/TaskStatus.md","filePath":"api/runtime/bridge/type-aliases/TaskStatus.md"}');
const _sfc_main = { name: "api/runtime/bridge/type-aliases/TaskStatus.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-taskstatus" tabindex="-1">Type Alias: TaskStatus <a class="header-anchor" href="#type-alias-taskstatus" aria-label="Permalink to &quot;Type Alias: TaskStatus&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> TaskStatus</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> </span></span>
<span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">  |</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> AgentStopReason</span></span>
<span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">  |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;failed&quot;</span></span>
<span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">  |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;cancelled&quot;</span></span>
<span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">  |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;rejected&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Status of a response:</p><ul><li>A stop reason of the run, such as <code>model_stop</code>. With <code>approval_pending</code> and <code>waiting</code>, the run has not ended, and <code>pending</code> lists the keys that it waits for. All other stop reasons are final.</li><li><code>&quot;failed&quot;</code>: the run ended with an error.</li><li><code>&quot;cancelled&quot;</code>: the run was cancelled.</li><li><code>&quot;rejected&quot;</code>: the request is not a valid task. No run was started.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/bridge/type-aliases/TaskStatus.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const TaskStatus = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  TaskStatus as default
};
