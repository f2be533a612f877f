import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: Counts","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/conformance/mod/interfaces/Counts.md","filePath":"api/conformance/mod/interfaces/Counts.md"}');
const _sfc_main = { name: "api/conformance/mod/interfaces/Counts.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-counts" tabindex="-1">Interface: Counts <a class="header-anchor" href="#interface-counts" aria-label="Permalink to &quot;Interface: Counts&quot;">​</a></h1><p>Numbers of cases, by result.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-failed"></a> <code>failed</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of stale baseline entries, plus required cases that failed, crashed, timed out, wrote malformed output or were not run. A strict run also counts required cases that are untestable.</td></tr><tr><td><a id="property-known"></a> <code>known</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of failures that the baseline accepts.</td></tr><tr><td><a id="property-notapplicable"></a> <code>notApplicable</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of cases that do not apply to the subject.</td></tr><tr><td><a id="property-optional"></a> <code>optional</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of failures of cases that are not required.</td></tr><tr><td><a id="property-passed"></a> <code>passed</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of passed cases.</td></tr><tr><td><a id="property-untestable"></a> <code>untestable</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of untestable cases that do not count as failed.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/mod/interfaces/Counts.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Counts = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Counts as default
};
