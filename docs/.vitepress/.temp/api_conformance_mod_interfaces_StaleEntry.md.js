import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: StaleEntry","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/conformance/mod/interfaces/StaleEntry.md","filePath":"api/conformance/mod/interfaces/StaleEntry.md"}');
const _sfc_main = { name: "api/conformance/mod/interfaces/StaleEntry.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-staleentry" tabindex="-1">Interface: StaleEntry <a class="header-anchor" href="#interface-staleentry" aria-label="Permalink to &quot;Interface: StaleEntry&quot;">​</a></h1><p>An outdated entry.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-id"></a> <code>id</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id or pattern of the entry.</td></tr><tr><td><a id="property-reason"></a> <code>reason</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Reason why the entry is outdated.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/mod/interfaces/StaleEntry.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const StaleEntry = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  StaleEntry as default
};
