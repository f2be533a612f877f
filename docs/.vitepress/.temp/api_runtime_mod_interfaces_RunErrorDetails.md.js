import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RunErrorDetails","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/RunErrorDetails.md","filePath":"api/runtime/mod/interfaces/RunErrorDetails.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/RunErrorDetails.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-runerrordetails" tabindex="-1">Interface: RunErrorDetails <a class="header-anchor" href="#interface-runerrordetails" aria-label="Permalink to &quot;Interface: RunErrorDetails&quot;">​</a></h1><p>Details of an error that concerns one durable run.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-reason"></a> <code>reason</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Reason for the failure.</td></tr><tr><td><a id="property-runid"></a> <code>runId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the run.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/RunErrorDetails.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RunErrorDetails = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RunErrorDetails as default
};
