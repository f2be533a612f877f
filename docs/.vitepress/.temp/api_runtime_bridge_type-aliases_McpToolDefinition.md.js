import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: McpToolDefinition","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/bridge/type-aliases/McpToolDefinition.md","filePath":"api/runtime/bridge/type-aliases/McpToolDefinition.md"}');
const _sfc_main = { name: "api/runtime/bridge/type-aliases/McpToolDefinition.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-mcptooldefinition" tabindex="-1">Type Alias: McpToolDefinition <a class="header-anchor" href="#type-alias-mcptooldefinition" aria-label="Permalink to &quot;Type Alias: McpToolDefinition&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> McpToolDefinition</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> object</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Definition of a tool, as the method <code>registerTool</code> of an MCP server accepts it.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-description"></a> <code>description</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Description of the tool.</td></tr><tr><td><a id="property-inputschema"></a> <code>inputSchema</code></td><td><code>readonly</code></td><td><a href="./../../mod/interfaces/StandardSchema"><code>StandardSchema</code></a>&lt;<code>unknown</code>, { <code>task</code>: <code>string</code>; }&gt;</td><td>Schema of the arguments: an object with the string property <code>task</code>.</td></tr><tr><td><a id="property-name"></a> <code>name</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the tool.</td></tr><tr><td><a id="property-outputschema"></a> <code>outputSchema?</code></td><td><code>readonly</code></td><td><a href="./../../mod/type-aliases/JsonObject"><code>JsonObject</code></a></td><td>JSON Schema of the structured content.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/bridge/type-aliases/McpToolDefinition.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const McpToolDefinition = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  McpToolDefinition as default
};
