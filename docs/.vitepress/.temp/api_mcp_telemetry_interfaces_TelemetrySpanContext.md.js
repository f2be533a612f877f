import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: TelemetrySpanContext","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/telemetry/interfaces/TelemetrySpanContext.md","filePath":"api/mcp/telemetry/interfaces/TelemetrySpanContext.md"}');
const _sfc_main = { name: "api/mcp/telemetry/interfaces/TelemetrySpanContext.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-telemetryspancontext" tabindex="-1">Interface: TelemetrySpanContext <a class="header-anchor" href="#interface-telemetryspancontext" aria-label="Permalink to &quot;Interface: TelemetrySpanContext&quot;">​</a></h1><p>The part of an OpenTelemetry <code>SpanContext</code> that this package uses: the identity of a span.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-spanid"></a> <code>spanId</code></td><td><code>string</code></td><td>Id of the span, 16 hexadecimal digits.</td></tr><tr><td><a id="property-traceflags"></a> <code>traceFlags</code></td><td><code>number</code></td><td>Trace flags, as in W3C Trace Context.</td></tr><tr><td><a id="property-traceid"></a> <code>traceId</code></td><td><code>string</code></td><td>Id of the trace, 32 hexadecimal digits.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/telemetry/interfaces/TelemetrySpanContext.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const TelemetrySpanContext = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  TelemetrySpanContext as default
};
