import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: WorkflowFailure","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/WorkflowFailure.md","filePath":"api/runtime/mod/interfaces/WorkflowFailure.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/WorkflowFailure.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-workflowfailure" tabindex="-1">Interface: WorkflowFailure <a class="header-anchor" href="#interface-workflowfailure" aria-label="Permalink to &quot;Interface: WorkflowFailure&quot;">​</a></h1><p>A failed step in a workflow.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-agentname"></a> <code>agentName</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the agent.</td></tr><tr><td><a id="property-output"></a> <code>output?</code></td><td><code>readonly</code></td><td><a href="./ToolLoopOutput"><code>ToolLoopOutput</code></a></td><td>Output of the agent&#39;s run, if the run ended early without an error.</td></tr><tr><td><a id="property-reason"></a> <code>reason</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Reason for the failure.</td></tr><tr><td><a id="property-stepindex"></a> <code>stepIndex</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Index of the step, starting at 0.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/WorkflowFailure.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const WorkflowFailure = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  WorkflowFailure as default
};
