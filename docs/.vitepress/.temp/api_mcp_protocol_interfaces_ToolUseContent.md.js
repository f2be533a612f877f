import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ToolUseContent","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/ToolUseContent.md","filePath":"api/mcp/protocol/interfaces/ToolUseContent.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/ToolUseContent.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-toolusecontent" tabindex="-1">Interface: ToolUseContent <a class="header-anchor" href="#interface-toolusecontent" aria-label="Permalink to &quot;Interface: ToolUseContent&quot;">​</a></h1><p>A content block that contains a tool call by the model.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-id"></a> <code>id</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Identifier of the tool call, which the tool result refers to.</td></tr><tr><td><a id="property-input"></a> <code>input</code></td><td><code>readonly</code></td><td><a href="./../../mod/type-aliases/JsonObject"><code>JsonObject</code></a></td><td>Arguments of the tool call.</td></tr><tr><td><a id="property-name"></a> <code>name</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the tool.</td></tr><tr><td><a id="property-type"></a> <code>type</code></td><td><code>readonly</code></td><td><code>&quot;tool_use&quot;</code></td><td>Type of the block.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/ToolUseContent.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ToolUseContent = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ToolUseContent as default
};
