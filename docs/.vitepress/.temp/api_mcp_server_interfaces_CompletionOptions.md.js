import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: CompletionOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/server/interfaces/CompletionOptions.md","filePath":"api/mcp/server/interfaces/CompletionOptions.md"}');
const _sfc_main = { name: "api/mcp/server/interfaces/CompletionOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-completionoptions" tabindex="-1">Interface: CompletionOptions <a class="header-anchor" href="#interface-completionoptions" aria-label="Permalink to &quot;Interface: CompletionOptions&quot;">​</a></h1><p>Options for <a href="./../../mod/classes/McpServer#registerprompt"><code>McpServer.registerPrompt</code></a> and <a href="./../../mod/classes/McpServer#registerresourcetemplate"><code>McpServer.registerResourceTemplate</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-complete"></a> <code>complete?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <a href="./../type-aliases/Completer"><code>Completer</code></a>&gt;&gt;</td><td>Completers, by argument or variable name.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/server/interfaces/CompletionOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const CompletionOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  CompletionOptions as default
};
