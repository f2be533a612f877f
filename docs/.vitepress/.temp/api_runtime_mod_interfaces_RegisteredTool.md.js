import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RegisteredTool","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/RegisteredTool.md","filePath":"api/runtime/mod/interfaces/RegisteredTool.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/RegisteredTool.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-registeredtool" tabindex="-1">Interface: RegisteredTool <a class="header-anchor" href="#interface-registeredtool" aria-label="Permalink to &quot;Interface: RegisteredTool&quot;">​</a></h1><p>An entry in the registry.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-checkinput"></a> <code>checkInput</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/SchemaCheck"><code>SchemaCheck</code></a></td><td>Validates an input of the tool.</td></tr><tr><td><a id="property-definition"></a> <code>definition</code></td><td><code>readonly</code></td><td><a href="./ToolDefinition"><code>ToolDefinition</code></a></td><td>Definition that the model receives.</td></tr><tr><td><a id="property-tool"></a> <code>tool</code></td><td><code>readonly</code></td><td><a href="./Tool"><code>Tool</code></a></td><td>The tool.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/RegisteredTool.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RegisteredTool = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RegisteredTool as default
};
