import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: GetPromptResult","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/mod/interfaces/GetPromptResult.md","filePath":"api/mcp/mod/interfaces/GetPromptResult.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/GetPromptResult.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-getpromptresult" tabindex="-1">Interface: GetPromptResult <a class="header-anchor" href="#interface-getpromptresult" aria-label="Permalink to &quot;Interface: GetPromptResult&quot;">​</a></h1><p>Result of <code>prompts/get</code>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-_meta"></a> <code>_meta?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>unknown</code>&gt;&gt;</td><td>Additional metadata.</td></tr><tr><td><a id="property-description"></a> <code>description?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Description of the prompt.</td></tr><tr><td><a id="property-messages"></a> <code>messages</code></td><td><code>readonly</code></td><td>readonly <a href="./PromptMessage"><code>PromptMessage</code></a>[]</td><td>Messages in the prompt, in order.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/GetPromptResult.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const GetPromptResult = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  GetPromptResult as default
};
