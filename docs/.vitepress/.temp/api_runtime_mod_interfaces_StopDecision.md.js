import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: StopDecision","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/StopDecision.md","filePath":"api/runtime/mod/interfaces/StopDecision.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/StopDecision.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-stopdecision" tabindex="-1">Interface: StopDecision <a class="header-anchor" href="#interface-stopdecision" aria-label="Permalink to &quot;Interface: StopDecision&quot;">​</a></h1><p>The condition that ended a run.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-conditionname"></a> <code>conditionName</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the condition.</td></tr><tr><td><a id="property-finalize"></a> <code>finalize?</code></td><td><code>readonly</code></td><td><code>true</code></td><td>Whether the model is called once more before the run ends. Absent if the condition does not request another call.</td></tr><tr><td><a id="property-reason"></a> <code>reason</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/AgentStopReason"><code>AgentStopReason</code></a></td><td>Stop reason of the condition.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/StopDecision.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const StopDecision = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  StopDecision as default
};
