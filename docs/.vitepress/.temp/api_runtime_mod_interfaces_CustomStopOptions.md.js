import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: CustomStopOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/CustomStopOptions.md","filePath":"api/runtime/mod/interfaces/CustomStopOptions.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/CustomStopOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-customstopoptions" tabindex="-1">Interface: CustomStopOptions <a class="header-anchor" href="#interface-customstopoptions" aria-label="Permalink to &quot;Interface: CustomStopOptions&quot;">​</a></h1><p>Options for <a href="./../functions/customStop"><code>customStop</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-finalize"></a> <code>finalize?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the model is called once more before the condition ends the run, to give its final answer. In the additional call, the model cannot call the registered tools. <strong>Default</strong> <code>{false}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/CustomStopOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const CustomStopOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  CustomStopOptions as default
};
