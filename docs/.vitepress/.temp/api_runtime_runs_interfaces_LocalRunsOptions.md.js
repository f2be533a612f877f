import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: LocalRunsOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/runs/interfaces/LocalRunsOptions.md","filePath":"api/runtime/runs/interfaces/LocalRunsOptions.md"}');
const _sfc_main = { name: "api/runtime/runs/interfaces/LocalRunsOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-localrunsoptions" tabindex="-1">Interface: LocalRunsOptions <a class="header-anchor" href="#interface-localrunsoptions" aria-label="Permalink to &quot;Interface: LocalRunsOptions&quot;">​</a></h1><p>Options for engines that deliver runs within one process.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./../../sqlite/interfaces/SqliteRunsOptions"><code>SqliteRunsOptions</code></a></li><li><a href="./MemoryRunsOptions"><code>MemoryRunsOptions</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-clock"></a> <code>clock?</code></td><td><code>readonly</code></td><td><a href="./RunClock"><code>RunClock</code></a></td><td>Clock for due times, delays and recorded times. If omitted, the system clock is used.</td></tr><tr><td><a id="property-maxretrydelayms"></a> <code>maxRetryDelayMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum delay between two attempts, in milliseconds. <strong>Default</strong> <code>{60_000}</code></td></tr><tr><td><a id="property-maxsignals"></a> <code>maxSignals?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of signals per run; a positive integer. <strong>Default</strong> <code>{1000}</code></td></tr><tr><td><a id="property-retrydelayms"></a> <code>retryDelayMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Delay after the first failed attempt to execute a run, in milliseconds. The delay doubles with each attempt. <strong>Default</strong> <code>{1000}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/runs/interfaces/LocalRunsOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const LocalRunsOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  LocalRunsOptions as default
};
