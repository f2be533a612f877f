import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: CounterOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/telemetry/interfaces/CounterOptions.md","filePath":"api/runtime/telemetry/interfaces/CounterOptions.md"}');
const _sfc_main = { name: "api/runtime/telemetry/interfaces/CounterOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-counteroptions" tabindex="-1">Interface: CounterOptions <a class="header-anchor" href="#interface-counteroptions" aria-label="Permalink to &quot;Interface: CounterOptions&quot;">​</a></h1><p>Unit and description of a counter.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./HistogramOptions"><code>HistogramOptions</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-description"></a> <code>description</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Description of the values.</td></tr><tr><td><a id="property-unit"></a> <code>unit</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Unit of the values.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/telemetry/interfaces/CounterOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const CounterOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  CounterOptions as default
};
