import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: LoopContext","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/LoopContext.md","filePath":"api/runtime/mod/interfaces/LoopContext.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/LoopContext.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-loopcontext" tabindex="-1">Interface: LoopContext <a class="header-anchor" href="#interface-loopcontext" aria-label="Permalink to &quot;Interface: LoopContext&quot;">​</a></h1><p>Input for a stop condition. The loop sets all members, including the optional ones.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-elapsedms"></a> <code>elapsedMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time since the start of the run, excluding pauses, in milliseconds.</td></tr><tr><td><a id="property-iteration"></a> <code>iteration</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Index of the iteration that has just ended, starting at 0.</td></tr><tr><td><a id="property-iterations"></a> <code>iterations?</code></td><td><code>readonly</code></td><td>readonly <a href="./ToolLoopIteration"><code>ToolLoopIteration</code></a>[]</td><td>All finished iterations.</td></tr><tr><td><a id="property-lastfinishreason"></a> <code>lastFinishReason</code></td><td><code>readonly</code></td><td>| <code>&quot;error&quot;</code> | <code>&quot;stop&quot;</code> | <code>&quot;tool-calls&quot;</code> | <code>&quot;length&quot;</code> | <code>&quot;content-filter&quot;</code> | <code>&quot;interrupted&quot;</code> | <code>&quot;other&quot;</code></td><td>Finish reason of the last model response.</td></tr><tr><td><a id="property-lasttoolcallcount"></a> <code>lastToolCallCount</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of tool calls in the last iteration.</td></tr><tr><td><a id="property-messages"></a> <code>messages?</code></td><td><code>readonly</code></td><td>readonly <a href="./../type-aliases/ModelMessage"><code>ModelMessage</code></a>[]</td><td>The conversation, including the last iteration.</td></tr><tr><td><a id="property-totaltoolcalls"></a> <code>totalToolCalls?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of tool calls in all iterations.</td></tr><tr><td><a id="property-totalusage"></a> <code>totalUsage</code></td><td><code>readonly</code></td><td><a href="./TokenUsage"><code>TokenUsage</code></a></td><td>Cumulative token usage of the run, including sub-agents.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/LoopContext.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const LoopContext = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  LoopContext as default
};
