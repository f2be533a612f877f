import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: NotARawShape","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/NotARawShape.md","filePath":"api/runtime/mod/interfaces/NotARawShape.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/NotARawShape.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-notarawshape" tabindex="-1">Interface: NotARawShape <a class="header-anchor" href="#interface-notarawshape" aria-label="Permalink to &quot;Interface: NotARawShape&quot;">​</a></h1><p>A schema as returned by a schema library. An object whose members are schemas, such as <code>{ city: z.string() }</code>, is not a schema; wrap it, for example in <code>z.object({ city: z.string() })</code>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-standard"></a> <code>~standard</code></td><td><code>readonly</code></td><td><code>unknown</code></td><td>Members defined by Standard Schema.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/NotARawShape.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const NotARawShape = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  NotARawShape as default
};
