import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: WorkflowStep","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/WorkflowStep.md","filePath":"api/runtime/mod/interfaces/WorkflowStep.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/WorkflowStep.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-workflowstep" tabindex="-1">Interface: WorkflowStep <a class="header-anchor" href="#interface-workflowstep" aria-label="Permalink to &quot;Interface: WorkflowStep&quot;">​</a></h1><p>A finished step in a workflow.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-agentname"></a> <code>agentName</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the agent.</td></tr><tr><td><a id="property-durationms"></a> <code>durationMs</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Duration of the step, in milliseconds.</td></tr><tr><td><a id="property-output"></a> <code>output</code></td><td><code>readonly</code></td><td><a href="./ToolLoopOutput"><code>ToolLoopOutput</code></a></td><td>Output of the agent&#39;s run.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/WorkflowStep.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const WorkflowStep = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  WorkflowStep as default
};
