import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ReadResourceResult","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/mod/interfaces/ReadResourceResult.md","filePath":"api/mcp/mod/interfaces/ReadResourceResult.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/ReadResourceResult.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-readresourceresult" tabindex="-1">Interface: ReadResourceResult <a class="header-anchor" href="#interface-readresourceresult" aria-label="Permalink to &quot;Interface: ReadResourceResult&quot;">​</a></h1><p>Result of <code>resources/read</code>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-_meta"></a> <code>_meta?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>unknown</code>&gt;&gt;</td><td>Additional metadata.</td></tr><tr><td><a id="property-contents"></a> <code>contents</code></td><td><code>readonly</code></td><td>readonly <a href="./../../protocol/interfaces/ResourceContents"><code>ResourceContents</code></a>[]</td><td>Contents of the resource. Reading one URI can return several items, such as the files in a folder.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/ReadResourceResult.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ReadResourceResult = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ReadResourceResult as default
};
