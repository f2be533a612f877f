import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ToolRegistryOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/ToolRegistryOptions.md","filePath":"api/runtime/mod/interfaces/ToolRegistryOptions.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/ToolRegistryOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-toolregistryoptions" tabindex="-1">Interface: ToolRegistryOptions <a class="header-anchor" href="#interface-toolregistryoptions" aria-label="Permalink to &quot;Interface: ToolRegistryOptions&quot;">​</a></h1><p>Options for <a href="./../classes/ToolRegistry"><code>ToolRegistry</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-validator"></a> <code>validator?</code></td><td><code>readonly</code></td><td><a href="./SchemaValidator"><code>SchemaValidator</code></a></td><td>Validator for JSON Schema. Defaults to <a href="./../functions/jsonSchemaValidator"><code>jsonSchemaValidator</code></a> with its default limits. The validator is not used for Standard Schemas, which validate values themselves.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/ToolRegistryOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ToolRegistryOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ToolRegistryOptions as default
};
