import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RunWorkOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/runs/interfaces/RunWorkOptions.md","filePath":"api/runtime/runs/interfaces/RunWorkOptions.md"}');
const _sfc_main = { name: "api/runtime/runs/interfaces/RunWorkOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-runworkoptions" tabindex="-1">Interface: RunWorkOptions <a class="header-anchor" href="#interface-runworkoptions" aria-label="Permalink to &quot;Interface: RunWorkOptions&quot;">​</a></h1><p>Options for <a href="./../classes/Runs#work"><code>Runs.work</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-concurrency"></a> <code>concurrency?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of runs that are executed at the same time; a positive integer. <strong>Default</strong> <code>{4}</code></td></tr><tr><td><a id="property-signal"></a> <code>signal?</code></td><td><code>readonly</code></td><td><code>AbortSignal</code></td><td>Signal that stops the worker. Runs in progress are put back.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/runs/interfaces/RunWorkOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RunWorkOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RunWorkOptions as default
};
