import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: CallToolResult","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/mod/interfaces/CallToolResult.md","filePath":"api/mcp/mod/interfaces/CallToolResult.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/CallToolResult.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-calltoolresult" tabindex="-1">Interface: CallToolResult <a class="header-anchor" href="#interface-calltoolresult" aria-label="Permalink to &quot;Interface: CallToolResult&quot;">​</a></h1><p>Result of <code>tools/call</code>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-_meta"></a> <code>_meta?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>unknown</code>&gt;&gt;</td><td>Additional metadata.</td></tr><tr><td><a id="property-content"></a> <code>content</code></td><td><code>readonly</code></td><td>readonly <a href="./../type-aliases/ContentBlock"><code>ContentBlock</code></a>[]</td><td>Content blocks for the model and the user.</td></tr><tr><td><a id="property-iserror"></a> <code>isError?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the tool call failed. If <code>true</code>, the content describes the error.</td></tr><tr><td><a id="property-structuredcontent"></a> <code>structuredContent?</code></td><td><code>readonly</code></td><td><code>unknown</code></td><td>Result as a JSON value. Must match the tool&#39;s <code>outputSchema</code>, if there is one.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/CallToolResult.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const CallToolResult = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  CallToolResult as default
};
