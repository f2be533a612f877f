import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: BlockBase","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/BlockBase.md","filePath":"api/mcp/protocol/interfaces/BlockBase.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/BlockBase.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-blockbase" tabindex="-1">Interface: BlockBase <a class="header-anchor" href="#interface-blockbase" aria-label="Permalink to &quot;Interface: BlockBase&quot;">​</a></h1><p>Members common to all content blocks.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./../../mod/interfaces/TextContent"><code>TextContent</code></a></li><li><a href="./AudioContent"><code>AudioContent</code></a></li><li><a href="./EmbeddedResource"><code>EmbeddedResource</code></a></li><li><a href="./ImageContent"><code>ImageContent</code></a></li><li><a href="./ResourceLink"><code>ResourceLink</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-_meta"></a> <code>_meta?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>unknown</code>&gt;&gt;</td><td>Additional metadata.</td></tr><tr><td><a id="property-annotations"></a> <code>annotations?</code></td><td><code>readonly</code></td><td><a href="./Annotations"><code>Annotations</code></a></td><td>Audience, priority and age of the block.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/BlockBase.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const BlockBase = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  BlockBase as default
};
