import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: TelemetrySpanOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/telemetry/interfaces/TelemetrySpanOptions.md","filePath":"api/mcp/telemetry/interfaces/TelemetrySpanOptions.md"}');
const _sfc_main = { name: "api/mcp/telemetry/interfaces/TelemetrySpanOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-telemetryspanoptions" tabindex="-1">Interface: TelemetrySpanOptions <a class="header-anchor" href="#interface-telemetryspanoptions" aria-label="Permalink to &quot;Interface: TelemetrySpanOptions&quot;">​</a></h1><p>Kind, initial attributes and links of a span.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-attributes"></a> <code>attributes</code></td><td><a href="./../type-aliases/TelemetryAttributes"><code>TelemetryAttributes</code></a></td><td>Initial attributes of the span.</td></tr><tr><td><a id="property-kind"></a> <code>kind</code></td><td><code>number</code></td><td>Kind of the span. 1 means a server, 2 means a client.</td></tr><tr><td><a id="property-links"></a> <code>links</code></td><td><code>object</code>[]</td><td>Links to other spans.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/telemetry/interfaces/TelemetrySpanOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const TelemetrySpanOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  TelemetrySpanOptions as default
};
