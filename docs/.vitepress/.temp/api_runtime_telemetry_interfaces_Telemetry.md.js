import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: Telemetry","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/telemetry/interfaces/Telemetry.md","filePath":"api/runtime/telemetry/interfaces/Telemetry.md"}');
const _sfc_main = { name: "api/runtime/telemetry/interfaces/Telemetry.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-telemetry" tabindex="-1">Interface: Telemetry <a class="header-anchor" href="#interface-telemetry" aria-label="Permalink to &quot;Interface: Telemetry&quot;">​</a></h1><p>Options for an agent or a run, created by <a href="./../functions/telemetry"><code>telemetry</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-around"></a> <code>around</code></td><td><code>readonly</code></td><td><a href="./../../mod/type-aliases/Around"><code>Around</code></a></td><td>Starts and ends a span for each run, model call and tool execution, and activates the span while the step executes.</td></tr><tr><td><a id="property-onevent"></a> <code>onEvent</code></td><td><code>readonly</code></td><td><a href="./../../mod/type-aliases/LoopEventSink"><code>LoopEventSink</code></a></td><td>Records the time to the first chunk of streamed responses, and the number of replayed steps. If another listener is used instead, the time to the first chunk and the number of replayed steps are not recorded.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/telemetry/interfaces/Telemetry.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Telemetry = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Telemetry as default
};
