import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: AgUiInterrupt","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/ui/ag_ui/interfaces/AgUiInterrupt.md","filePath":"api/runtime/ui/ag_ui/interfaces/AgUiInterrupt.md"}');
const _sfc_main = { name: "api/runtime/ui/ag_ui/interfaces/AgUiInterrupt.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-aguiinterrupt" tabindex="-1">Interface: AgUiInterrupt <a class="header-anchor" href="#interface-aguiinterrupt" aria-label="Permalink to &quot;Interface: AgUiInterrupt&quot;">​</a></h1><p>A request for the user&#39;s decision on a tool call. A run that needs the decision ends with this request.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-id"></a> <code>id</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Key of the approval.</td></tr><tr><td><a id="property-message"></a> <code>message</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Text that asks the user for the decision.</td></tr><tr><td><a id="property-metadata"></a> <code>metadata</code></td><td><code>readonly</code></td><td><code>object</code></td><td>The member <code>parley</code> contains the reason for the approval.</td></tr><tr><td><a id="property-reason"></a> <code>reason</code></td><td><code>readonly</code></td><td><code>&quot;tool_call&quot;</code></td><td>Kind of interrupt.</td></tr><tr><td><a id="property-responseschema"></a> <code>responseSchema</code></td><td><code>readonly</code></td><td><code>object</code></td><td>JSON Schema of the <code>payload</code> that the client sends.</td></tr><tr><td><a id="property-subagentrunid"></a> <code>subagentRunId?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Run id of the sub-agent that calls the tool. Absent if the outermost agent calls the tool.</td></tr><tr><td><a id="property-toolcallid"></a> <code>toolCallId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the tool call.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/ui/ag_ui/interfaces/AgUiInterrupt.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const AgUiInterrupt = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  AgUiInterrupt as default
};
