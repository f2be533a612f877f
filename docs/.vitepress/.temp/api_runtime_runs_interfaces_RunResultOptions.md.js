import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RunResultOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/runs/interfaces/RunResultOptions.md","filePath":"api/runtime/runs/interfaces/RunResultOptions.md"}');
const _sfc_main = { name: "api/runtime/runs/interfaces/RunResultOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-runresultoptions" tabindex="-1">Interface: RunResultOptions <a class="header-anchor" href="#interface-runresultoptions" aria-label="Permalink to &quot;Interface: RunResultOptions&quot;">​</a></h1><p>Options for <a href="./../classes/Runs#result"><code>Runs.result</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-signal"></a> <code>signal?</code></td><td><code>readonly</code></td><td><code>AbortSignal</code></td><td>Signal that ends the wait.</td></tr><tr><td><a id="property-until"></a> <code>until?</code></td><td><code>readonly</code></td><td><code>&quot;waiting&quot;</code> | <code>&quot;ended&quot;</code></td><td>Whether to wait until the run has ended, or at most until the run waits for a decision or a signal. A run that only waits for a time continues by itself and is not returned. <strong>Default</strong> <code>{&quot;ended&quot;}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/runs/interfaces/RunResultOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RunResultOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RunResultOptions as default
};
