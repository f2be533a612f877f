import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PendingBatch","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/PendingBatch.md","filePath":"api/runtime/mod/interfaces/PendingBatch.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/PendingBatch.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-pendingbatch" tabindex="-1">Interface: PendingBatch <a class="header-anchor" href="#interface-pendingbatch" aria-label="Permalink to &quot;Interface: PendingBatch&quot;">​</a></h1><p>The tool calls in one response that are waiting for approval decisions, signals or times. The waiting calls are not part of the output&#39;s <code>messages</code>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-approvals"></a> <code>approvals</code></td><td><code>readonly</code></td><td>readonly <a href="./PendingApproval"><code>PendingApproval</code></a>[]</td><td>Tool calls that need a decision.</td></tr><tr><td><a id="property-assistantmessage"></a> <code>assistantMessage</code></td><td><code>readonly</code></td><td><a href="./AssistantMessage"><code>AssistantMessage</code></a></td><td>Model response that contains the tool calls.</td></tr><tr><td><a id="property-iteration"></a> <code>iteration</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Index of the iteration that is waiting for the decisions.</td></tr><tr><td><a id="property-toolresults"></a> <code>toolResults</code></td><td><code>readonly</code></td><td>readonly <a href="./ToolResult"><code>ToolResult</code></a>[]</td><td>Results of the tool calls that have already finished. A resumed run reads these results from the journal.</td></tr><tr><td><a id="property-waits"></a> <code>waits?</code></td><td><code>readonly</code></td><td>readonly <a href="./PendingWait"><code>PendingWait</code></a>[]</td><td>Signals and times that tools wait for. Absent if no tool waits for a signal or a time.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/PendingBatch.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PendingBatch = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PendingBatch as default
};
