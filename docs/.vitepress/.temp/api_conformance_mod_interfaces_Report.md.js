import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: Report","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/conformance/mod/interfaces/Report.md","filePath":"api/conformance/mod/interfaces/Report.md"}');
const _sfc_main = { name: "api/conformance/mod/interfaces/Report.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-report" tabindex="-1">Interface: Report <a class="header-anchor" href="#interface-report" aria-label="Permalink to &quot;Interface: Report&quot;">​</a></h1><p>Result of a run. <code>schemas/report.schema.json</code> describes its JSON form.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-isinterrupted"></a> <code>isInterrupted</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the run was interrupted.</td></tr><tr><td><a id="property-kit"></a> <code>kit</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Version of the kit.</td></tr><tr><td><a id="property-ms"></a> <code>ms</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Duration, in milliseconds.</td></tr><tr><td><a id="property-report"></a> <code>report</code></td><td><code>readonly</code></td><td><code>2</code></td><td>Version of the report format.</td></tr><tr><td><a id="property-requirements"></a> <code>requirements?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Names of the requirement sets that selected the cases. Absent if the run used none.</td></tr><tr><td><a id="property-results"></a> <code>results</code></td><td><code>readonly</code></td><td>readonly <a href="./CaseResult"><code>CaseResult</code></a>[]</td><td>Results, one per case and transport.</td></tr><tr><td><a id="property-stale"></a> <code>stale</code></td><td><code>readonly</code></td><td>readonly <a href="./StaleEntry"><code>StaleEntry</code></a>[]</td><td>Outdated entries of the baseline.</td></tr><tr><td><a id="property-startedat"></a> <code>startedAt</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Start of the run (RFC 3339).</td></tr><tr><td><a id="property-subjects"></a> <code>subjects</code></td><td><code>readonly</code></td><td>readonly <a href="./Implementation"><code>Implementation</code></a>[]</td><td>Implementations under test, without duplicates.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/mod/interfaces/Report.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Report = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Report as default
};
