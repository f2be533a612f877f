import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: HttpHead","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/conformance/mod/interfaces/HttpHead.md","filePath":"api/conformance/mod/interfaces/HttpHead.md"}');
const _sfc_main = { name: "api/conformance/mod/interfaces/HttpHead.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-httphead" tabindex="-1">Interface: HttpHead <a class="header-anchor" href="#interface-httphead" aria-label="Permalink to &quot;Interface: HttpHead&quot;">​</a></h1><p>Head of an HTTP response that the kit sends.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-headers"></a> <code>headers?</code></td><td><code>readonly</code></td><td><code>object</code></td><td>Headers. If omitted, the content type is derived from the body.</td></tr><tr><td><a id="property-status"></a> <code>status?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Status code. <strong>Default</strong> <code>{200}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/mod/interfaces/HttpHead.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const HttpHead = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  HttpHead as default
};
