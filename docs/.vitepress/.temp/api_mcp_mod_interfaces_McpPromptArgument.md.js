import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: McpPromptArgument","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/mod/interfaces/McpPromptArgument.md","filePath":"api/mcp/mod/interfaces/McpPromptArgument.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/McpPromptArgument.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-mcppromptargument" tabindex="-1">Interface: McpPromptArgument <a class="header-anchor" href="#interface-mcppromptargument" aria-label="Permalink to &quot;Interface: McpPromptArgument&quot;">​</a></h1><p>A prompt argument.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-description"></a> <code>description?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>User-facing description of the argument.</td></tr><tr><td><a id="property-name"></a> <code>name</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the argument.</td></tr><tr><td><a id="property-required"></a> <code>required</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the argument is required.</td></tr><tr><td><a id="property-title"></a> <code>title?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Display name of the argument.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/McpPromptArgument.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const McpPromptArgument = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  McpPromptArgument as default
};
