import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: McpToolResult","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/bridge/type-aliases/McpToolResult.md","filePath":"api/runtime/bridge/type-aliases/McpToolResult.md"}');
const _sfc_main = { name: "api/runtime/bridge/type-aliases/McpToolResult.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-mcptoolresult" tabindex="-1">Type Alias: McpToolResult <a class="header-anchor" href="#type-alias-mcptoolresult" aria-label="Permalink to &quot;Type Alias: McpToolResult&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> McpToolResult</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> object</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Result of a tool call, as the handler of an MCP tool returns it.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-content"></a> <code>content</code></td><td><code>readonly</code></td><td>readonly [{ <code>text</code>: <code>string</code>; <code>type</code>: <code>&quot;text&quot;</code>; }]</td><td>Text of the answer, or of the error.</td></tr><tr><td><a id="property-iserror"></a> <code>isError?</code></td><td><code>readonly</code></td><td><code>true</code></td><td>Whether the agent ended without an answer.</td></tr><tr><td><a id="property-structuredcontent"></a> <code>structuredContent?</code></td><td><code>readonly</code></td><td><a href="./../../mod/type-aliases/JsonValue"><code>JsonValue</code></a></td><td>Answer that matches <code>outputSchema</code>.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/bridge/type-aliases/McpToolResult.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const McpToolResult = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  McpToolResult as default
};
