import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: TelemetryHistogramOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/telemetry/interfaces/TelemetryHistogramOptions.md","filePath":"api/mcp/telemetry/interfaces/TelemetryHistogramOptions.md"}');
const _sfc_main = { name: "api/mcp/telemetry/interfaces/TelemetryHistogramOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-telemetryhistogramoptions" tabindex="-1">Interface: TelemetryHistogramOptions <a class="header-anchor" href="#interface-telemetryhistogramoptions" aria-label="Permalink to &quot;Interface: TelemetryHistogramOptions&quot;">​</a></h1><p>Unit, description and bucket boundaries of a histogram.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-advice"></a> <code>advice</code></td><td><code>readonly</code></td><td><code>object</code></td><td>Advice for the aggregation of the values.</td></tr><tr><td><code>advice.explicitBucketBoundaries</code></td><td><code>public</code></td><td><code>number</code>[]</td><td>Boundaries between the buckets of the histogram.</td></tr><tr><td><a id="property-description"></a> <code>description</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Description of the values.</td></tr><tr><td><a id="property-unit"></a> <code>unit</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Unit of the values.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/telemetry/interfaces/TelemetryHistogramOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const TelemetryHistogramOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  TelemetryHistogramOptions as default
};
