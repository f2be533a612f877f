import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: HistogramOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extends","slug":"extends","link":"#extends","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/telemetry/interfaces/HistogramOptions.md","filePath":"api/runtime/telemetry/interfaces/HistogramOptions.md"}');
const _sfc_main = { name: "api/runtime/telemetry/interfaces/HistogramOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-histogramoptions" tabindex="-1">Interface: HistogramOptions <a class="header-anchor" href="#interface-histogramoptions" aria-label="Permalink to &quot;Interface: HistogramOptions&quot;">​</a></h1><p>Unit, description and bucket boundaries of a histogram.</p><h2 id="extends" tabindex="-1">Extends <a class="header-anchor" href="#extends" aria-label="Permalink to &quot;Extends&quot;">​</a></h2><ul><li><a href="./CounterOptions"><code>CounterOptions</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th><th>Inherited from</th></tr></thead><tbody><tr><td><a id="property-advice"></a> <code>advice</code></td><td><code>readonly</code></td><td><code>object</code></td><td>Advice for the aggregation of the values.</td><td>-</td></tr><tr><td><code>advice.explicitBucketBoundaries</code></td><td><code>public</code></td><td><code>number</code>[]</td><td>Boundaries between the buckets of the histogram.</td><td>-</td></tr><tr><td><a id="property-description"></a> <code>description</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Description of the values.</td><td><a href="./CounterOptions"><code>CounterOptions</code></a>.<a href="./CounterOptions#property-description"><code>description</code></a></td></tr><tr><td><a id="property-unit"></a> <code>unit</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Unit of the values.</td><td><a href="./CounterOptions"><code>CounterOptions</code></a>.<a href="./CounterOptions#property-unit"><code>unit</code></a></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/telemetry/interfaces/HistogramOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const HistogramOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  HistogramOptions as default
};
