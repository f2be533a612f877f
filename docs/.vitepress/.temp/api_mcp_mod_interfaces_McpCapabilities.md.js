import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: McpCapabilities","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/mod/interfaces/McpCapabilities.md","filePath":"api/mcp/mod/interfaces/McpCapabilities.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/McpCapabilities.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-mcpcapabilities" tabindex="-1">Interface: McpCapabilities <a class="header-anchor" href="#interface-mcpcapabilities" aria-label="Permalink to &quot;Interface: McpCapabilities&quot;">​</a></h1><p>Server capabilities as booleans.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-prompts"></a> <code>prompts</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the server declares the <code>prompts</code> capability.</td></tr><tr><td><a id="property-resources"></a> <code>resources</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the server declares the <code>resources</code> capability.</td></tr><tr><td><a id="property-tools"></a> <code>tools</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the server declares the <code>tools</code> capability.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/McpCapabilities.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const McpCapabilities = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  McpCapabilities as default
};
