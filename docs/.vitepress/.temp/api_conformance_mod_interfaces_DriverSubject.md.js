import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: DriverSubject","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/conformance/mod/interfaces/DriverSubject.md","filePath":"api/conformance/mod/interfaces/DriverSubject.md"}');
const _sfc_main = { name: "api/conformance/mod/interfaces/DriverSubject.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-driversubject" tabindex="-1">Interface: DriverSubject <a class="header-anchor" href="#interface-driversubject" aria-label="Permalink to &quot;Interface: DriverSubject&quot;">​</a></h1><p>A subject connected through a driver.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-command"></a> <code>command</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Program and arguments of the driver.</td></tr><tr><td><a id="property-errormap"></a> <code>errorMap?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>string</code>&gt;&gt;</td><td>Maps the subject&#39;s error codes to those used in the cases.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/mod/interfaces/DriverSubject.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const DriverSubject = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  DriverSubject as default
};
