import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ModelErrorOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extends","slug":"extends","link":"#extends","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/ModelErrorOptions.md","filePath":"api/runtime/mod/interfaces/ModelErrorOptions.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/ModelErrorOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-modelerroroptions" tabindex="-1">Interface: ModelErrorOptions <a class="header-anchor" href="#interface-modelerroroptions" aria-label="Permalink to &quot;Interface: ModelErrorOptions&quot;">​</a></h1><p>Options for <a href="./../classes/AgentError#modelerror"><code>AgentError.modelError</code></a>.</p><h2 id="extends" tabindex="-1">Extends <a class="header-anchor" href="#extends" aria-label="Permalink to &quot;Extends&quot;">​</a></h2><ul><li><a href="./AgentErrorOptions"><code>AgentErrorOptions</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th><th>Inherited from</th></tr></thead><tbody><tr><td><a id="property-partialoutput"></a> <code>partialOutput?</code></td><td><code>readonly</code></td><td><a href="./PartialLoopOutput"><code>PartialLoopOutput</code></a></td><td>Output of the run before the failure. The <code>messages</code> of this output form a valid conversation, which another run can continue.</td><td><a href="./AgentErrorOptions"><code>AgentErrorOptions</code></a>.<a href="./AgentErrorOptions#property-partialoutput"><code>partialOutput</code></a></td></tr><tr><td><a id="property-partialresult"></a> <code>partialResult?</code></td><td><code>readonly</code></td><td><a href="./PartialWorkflowResult"><code>PartialWorkflowResult</code></a></td><td>Result of the workflow before the failure.</td><td><a href="./AgentErrorOptions"><code>AgentErrorOptions</code></a>.<a href="./AgentErrorOptions#property-partialresult"><code>partialResult</code></a></td></tr><tr><td><a id="property-retryable"></a> <code>retryable?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the same model call might succeed later. <strong>Default</strong> <code>{false}</code></td><td>-</td></tr><tr><td><a id="property-retryafterms"></a> <code>retryAfterMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Retry delay requested by the provider, in milliseconds.</td><td>-</td></tr><tr><td><a id="property-status"></a> <code>status?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>HTTP status of the response, if a response was received.</td><td>-</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/ModelErrorOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ModelErrorOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ModelErrorOptions as default
};
