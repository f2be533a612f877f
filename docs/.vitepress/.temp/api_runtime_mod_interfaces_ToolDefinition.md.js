import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ToolDefinition","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/ToolDefinition.md","filePath":"api/runtime/mod/interfaces/ToolDefinition.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/ToolDefinition.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-tooldefinition" tabindex="-1">Interface: ToolDefinition <a class="header-anchor" href="#interface-tooldefinition" aria-label="Permalink to &quot;Interface: ToolDefinition&quot;">​</a></h1><p>A tool definition as the model receives it.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-description"></a> <code>description?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Description of the tool for the model.</td></tr><tr><td><a id="property-inputschema"></a> <code>inputSchema</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/JsonSchema"><code>JsonSchema</code></a></td><td>JSON Schema of the input.</td></tr><tr><td><a id="property-name"></a> <code>name</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the tool.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/ToolDefinition.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ToolDefinition = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ToolDefinition as default
};
