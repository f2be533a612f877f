import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RunDelivery","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/runs/interfaces/RunDelivery.md","filePath":"api/runtime/runs/interfaces/RunDelivery.md"}');
const _sfc_main = { name: "api/runtime/runs/interfaces/RunDelivery.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-rundelivery" tabindex="-1">Interface: RunDelivery <a class="header-anchor" href="#interface-rundelivery" aria-label="Permalink to &quot;Interface: RunDelivery&quot;">​</a></h1><p>A delivery of a run to a worker.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-attempt"></a> <code>attempt</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of the attempt, starting at 1. An attempt that throws is followed by another attempt, after a delay.</td></tr><tr><td><a id="property-signal"></a> <code>signal</code></td><td><code>readonly</code></td><td><code>AbortSignal</code></td><td>Aborted when the run is dropped, the worker stops, or the queue delivers the run to another worker.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/runs/interfaces/RunDelivery.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RunDelivery = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RunDelivery as default
};
