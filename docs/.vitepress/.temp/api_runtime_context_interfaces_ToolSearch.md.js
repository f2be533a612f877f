import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ToolSearch","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/context/interfaces/ToolSearch.md","filePath":"api/runtime/context/interfaces/ToolSearch.md"}');
const _sfc_main = { name: "api/runtime/context/interfaces/ToolSearch.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-toolsearch" tabindex="-1">Interface: ToolSearch <a class="header-anchor" href="#interface-toolsearch" aria-label="Permalink to &quot;Interface: ToolSearch&quot;">​</a></h1><p>Result of <a href="./../functions/toolSearch"><code>toolSearch</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-prepareiteration"></a> <code>prepareIteration</code></td><td><code>readonly</code></td><td><a href="./../../mod/type-aliases/PrepareIteration"><code>PrepareIteration</code></a></td><td>Shows the model the tools in <code>always</code>, <code>find_tools</code>, and the tools found earlier in the conversation.</td></tr><tr><td><a id="property-tool"></a> <code>tool</code></td><td><code>readonly</code></td><td><a href="./../../mod/interfaces/Tool"><code>Tool</code></a>&lt;{ <code>query</code>: <code>string</code>; }&gt;</td><td>The tool <code>find_tools</code>. Must be registered in the agent&#39;s registry.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/context/interfaces/ToolSearch.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ToolSearch = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ToolSearch as default
};
