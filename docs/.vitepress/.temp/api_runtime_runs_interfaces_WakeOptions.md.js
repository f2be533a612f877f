import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: WakeOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/runs/interfaces/WakeOptions.md","filePath":"api/runtime/runs/interfaces/WakeOptions.md"}');
const _sfc_main = { name: "api/runtime/runs/interfaces/WakeOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-wakeoptions" tabindex="-1">Interface: WakeOptions <a class="header-anchor" href="#interface-wakeoptions" aria-label="Permalink to &quot;Interface: WakeOptions&quot;">​</a></h1><p>Options for <a href="./RunQueue#wake"><code>RunQueue.wake</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-due"></a> <code>due?</code></td><td><code>readonly</code></td><td><code>Date</code></td><td>Earliest time of the delivery. If omitted, the run is delivered as soon as a worker is free.</td></tr><tr><td><a id="property-id"></a> <code>id</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the delivery, unique for the run. While a delivery with this id waits or is in progress, the call has no effect.</td></tr><tr><td><a id="property-tx"></a> <code>tx?</code></td><td><code>readonly</code></td><td><code>unknown</code></td><td>Transaction of the caller, of a type that the engine defines. If omitted, the queue uses its own.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/runs/interfaces/WakeOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const WakeOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  WakeOptions as default
};
