import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PartialWorkflowResult","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/PartialWorkflowResult.md","filePath":"api/runtime/mod/interfaces/PartialWorkflowResult.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/PartialWorkflowResult.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-partialworkflowresult" tabindex="-1">Interface: PartialWorkflowResult <a class="header-anchor" href="#interface-partialworkflowresult" aria-label="Permalink to &quot;Interface: PartialWorkflowResult&quot;">​</a></h1><p>Result of a workflow that has ended or failed. A failed workflow provides this result as <code>AgentError.partialResult</code>.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./WorkflowResult"><code>WorkflowResult</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-failures"></a> <code>failures?</code></td><td><code>readonly</code></td><td>readonly <a href="./WorkflowFailure"><code>WorkflowFailure</code></a>[]</td><td>Failed steps. Absent if no step failed.</td></tr><tr><td><a id="property-pending"></a> <code>pending?</code></td><td><code>readonly</code></td><td>readonly <a href="./PendingStep"><code>PendingStep</code></a>[]</td><td>Steps that are waiting for approval, in agent order. Absent if no step is waiting. To resume the workflow, run it again with the same message, <code>runId</code> and <code>stepRunner</code>, and with the <code>decisions</code>.</td></tr><tr><td><a id="property-steps"></a> <code>steps</code></td><td><code>readonly</code></td><td>readonly <a href="./WorkflowStep"><code>WorkflowStep</code></a>[]</td><td>The finished steps, in agent order.</td></tr><tr><td><a id="property-totaldurationms"></a> <code>totalDurationMs</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Duration of the workflow, in milliseconds.</td></tr><tr><td><a id="property-workflowid"></a> <code>workflowId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the workflow.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/PartialWorkflowResult.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PartialWorkflowResult = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PartialWorkflowResult as default
};
