import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: AgentErrorOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extends","slug":"extends","link":"#extends","children":[]},{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/AgentErrorOptions.md","filePath":"api/runtime/mod/interfaces/AgentErrorOptions.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/AgentErrorOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-agenterroroptions" tabindex="-1">Interface: AgentErrorOptions <a class="header-anchor" href="#interface-agenterroroptions" aria-label="Permalink to &quot;Interface: AgentErrorOptions&quot;">​</a></h1><p>Options for the <a href="./../classes/AgentError"><code>AgentError</code></a> constructors.</p><h2 id="extends" tabindex="-1">Extends <a class="header-anchor" href="#extends" aria-label="Permalink to &quot;Extends&quot;">​</a></h2><ul><li><code>ErrorOptions</code></li></ul><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./ModelErrorOptions"><code>ModelErrorOptions</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-partialoutput"></a> <code>partialOutput?</code></td><td><code>readonly</code></td><td><a href="./PartialLoopOutput"><code>PartialLoopOutput</code></a></td><td>Output of the run before the failure. The <code>messages</code> of this output form a valid conversation, which another run can continue.</td></tr><tr><td><a id="property-partialresult"></a> <code>partialResult?</code></td><td><code>readonly</code></td><td><a href="./PartialWorkflowResult"><code>PartialWorkflowResult</code></a></td><td>Result of the workflow before the failure.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/AgentErrorOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const AgentErrorOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  AgentErrorOptions as default
};
