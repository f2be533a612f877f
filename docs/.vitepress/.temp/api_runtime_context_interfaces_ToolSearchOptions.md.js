import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ToolSearchOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/context/interfaces/ToolSearchOptions.md","filePath":"api/runtime/context/interfaces/ToolSearchOptions.md"}');
const _sfc_main = { name: "api/runtime/context/interfaces/ToolSearchOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-toolsearchoptions" tabindex="-1">Interface: ToolSearchOptions <a class="header-anchor" href="#interface-toolsearchoptions" aria-label="Permalink to &quot;Interface: ToolSearchOptions&quot;">​</a></h1><p>Options for <a href="./../functions/toolSearch"><code>toolSearch</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-always"></a> <code>always?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Names of the tools that the model always receives. If omitted, the model receives only <code>find_tools</code> at first.</td></tr><tr><td><a id="property-limit"></a> <code>limit?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of results per search. A positive integer. <strong>Default</strong> <code>{5}</code></td></tr><tr><td><a id="property-maxtools"></a> <code>maxTools?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of found tools that the model receives, in addition to <code>always</code>. If the searches in a conversation have found more tools, the most recently found ones are kept. A positive integer. <strong>Default</strong> <code>{64}</code></td></tr><tr><td><a id="property-rank"></a> <code>rank?</code></td><td><code>readonly</code></td><td>(<code>query</code>, <code>tools</code>) =&gt; readonly <code>string</code>[] | <code>Promise</code>&lt;readonly <code>string</code>[]&gt;</td><td>Ranks the tools for a query. Returns the names of the matching tools, best match first. If omitted, tools are ranked by how many words of the query occur in their names and descriptions.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/context/interfaces/ToolSearchOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ToolSearchOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ToolSearchOptions as default
};
