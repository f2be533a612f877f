import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ModelStepInfo","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extends","slug":"extends","link":"#extends","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/ModelStepInfo.md","filePath":"api/runtime/mod/interfaces/ModelStepInfo.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/ModelStepInfo.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-modelstepinfo" tabindex="-1">Interface: ModelStepInfo <a class="header-anchor" href="#interface-modelstepinfo" aria-label="Permalink to &quot;Interface: ModelStepInfo&quot;">​</a></h1><p>A model call in a run, including its retries.</p><h2 id="extends" tabindex="-1">Extends <a class="header-anchor" href="#extends" aria-label="Permalink to &quot;Extends&quot;">​</a></h2><ul><li><a href="./LoopEventOrigin"><code>LoopEventOrigin</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th><th>Inherited from</th></tr></thead><tbody><tr><td><a id="property-agentname"></a> <code>agentName</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the agent.</td><td>-</td></tr><tr><td><a id="property-iteration"></a> <code>iteration</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Index of the iteration.</td><td>-</td></tr><tr><td><a id="property-kind"></a> <code>kind</code></td><td><code>readonly</code></td><td><code>&quot;model&quot;</code></td><td>The step is a model call.</td><td>-</td></tr><tr><td><a id="property-modelid"></a> <code>modelId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the model.</td><td>-</td></tr><tr><td><a id="property-options"></a> <code>options</code></td><td><code>readonly</code></td><td><a href="./GenerationOptions"><code>GenerationOptions</code></a></td><td>Settings of the model call.</td><td>-</td></tr><tr><td><a id="property-path"></a> <code>path</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Agent names from the outermost agent to the running agent.</td><td><a href="./LoopEventOrigin"><code>LoopEventOrigin</code></a>.<a href="./LoopEventOrigin#property-path"><code>path</code></a></td></tr><tr><td><a id="property-provider"></a> <code>provider?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the model provider.</td><td>-</td></tr><tr><td><a id="property-runid"></a> <code>runId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the run. If a tool passes its context to a sub-agent, the sub-agent&#39;s run id starts with the parent&#39;s run id.</td><td><a href="./LoopEventOrigin"><code>LoopEventOrigin</code></a>.<a href="./LoopEventOrigin#property-runid"><code>runId</code></a></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/ModelStepInfo.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ModelStepInfo = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ModelStepInfo as default
};
