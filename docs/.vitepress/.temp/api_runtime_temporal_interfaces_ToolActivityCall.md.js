import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ToolActivityCall","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/temporal/interfaces/ToolActivityCall.md","filePath":"api/runtime/temporal/interfaces/ToolActivityCall.md"}');
const _sfc_main = { name: "api/runtime/temporal/interfaces/ToolActivityCall.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-toolactivitycall" tabindex="-1">Interface: ToolActivityCall <a class="header-anchor" href="#interface-toolactivitycall" aria-label="Permalink to &quot;Interface: ToolActivityCall&quot;">​</a></h1><p>The call that a tool activity executes.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-agentname"></a> <code>agentName</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the agent that executes the tool.</td></tr><tr><td><a id="property-idempotencykey"></a> <code>idempotencyKey</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Key that is the same for every attempt of the activity.</td></tr><tr><td><a id="property-runid"></a> <code>runId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the run.</td></tr><tr><td><a id="property-toolcallid"></a> <code>toolCallId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the tool call.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/temporal/interfaces/ToolActivityCall.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ToolActivityCall = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ToolActivityCall as default
};
