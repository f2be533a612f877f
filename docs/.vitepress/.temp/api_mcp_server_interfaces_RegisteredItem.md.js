import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RegisteredItem","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/server/interfaces/RegisteredItem.md","filePath":"api/mcp/server/interfaces/RegisteredItem.md"}');
const _sfc_main = { name: "api/mcp/server/interfaces/RegisteredItem.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-registereditem" tabindex="-1">Interface: RegisteredItem <a class="header-anchor" href="#interface-registereditem" aria-label="Permalink to &quot;Interface: RegisteredItem&quot;">​</a></h1><p>A registered tool, resource, resource template or prompt, as passed to <a href="./../../mod/interfaces/McpServerConfig#property-visible"><code>McpServerConfig.visible</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-kind"></a> <code>kind</code></td><td><code>readonly</code></td><td><code>&quot;tool&quot;</code> | <code>&quot;resource&quot;</code> | <code>&quot;resource template&quot;</code> | <code>&quot;prompt&quot;</code></td><td>Kind of item.</td></tr><tr><td><a id="property-name"></a> <code>name</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the tool or prompt, URI of the resource, or URI template of the resource template.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/server/interfaces/RegisteredItem.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RegisteredItem = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RegisteredItem as default
};
