import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ParameterHeader","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/server/interfaces/ParameterHeader.md","filePath":"api/mcp/server/interfaces/ParameterHeader.md"}');
const _sfc_main = { name: "api/mcp/server/interfaces/ParameterHeader.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-parameterheader" tabindex="-1">Interface: ParameterHeader <a class="header-anchor" href="#interface-parameterheader" aria-label="Permalink to &quot;Interface: ParameterHeader&quot;">​</a></h1><p>A header that mirrors a tool call argument.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-header"></a> <code>header</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Full name of the header, in lower case.</td></tr><tr><td><a id="property-path"></a> <code>path</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Path to the argument: property names, outermost first.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/server/interfaces/ParameterHeader.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ParameterHeader = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ParameterHeader as default
};
