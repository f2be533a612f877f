import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ToolResultContent","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/ToolResultContent.md","filePath":"api/mcp/protocol/interfaces/ToolResultContent.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/ToolResultContent.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-toolresultcontent" tabindex="-1">Interface: ToolResultContent <a class="header-anchor" href="#interface-toolresultcontent" aria-label="Permalink to &quot;Interface: ToolResultContent&quot;">​</a></h1><p>A content block that contains the result of a tool call.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-content"></a> <code>content</code></td><td><code>readonly</code></td><td>readonly <a href="./../../mod/type-aliases/ContentBlock"><code>ContentBlock</code></a>[]</td><td>Result as content blocks.</td></tr><tr><td><a id="property-iserror"></a> <code>isError?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the tool call failed.</td></tr><tr><td><a id="property-structuredcontent"></a> <code>structuredContent?</code></td><td><code>readonly</code></td><td><code>unknown</code></td><td>Result as a JSON value.</td></tr><tr><td><a id="property-tooluseid"></a> <code>toolUseId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Identifier of the tool call.</td></tr><tr><td><a id="property-type"></a> <code>type</code></td><td><code>readonly</code></td><td><code>&quot;tool_result&quot;</code></td><td>Type of the block.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/ToolResultContent.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ToolResultContent = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ToolResultContent as default
};
