import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: EmbeddedResource","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extends","slug":"extends","link":"#extends","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/EmbeddedResource.md","filePath":"api/mcp/protocol/interfaces/EmbeddedResource.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/EmbeddedResource.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-embeddedresource" tabindex="-1">Interface: EmbeddedResource <a class="header-anchor" href="#interface-embeddedresource" aria-label="Permalink to &quot;Interface: EmbeddedResource&quot;">​</a></h1><p>A block that contains a resource.</p><h2 id="extends" tabindex="-1">Extends <a class="header-anchor" href="#extends" aria-label="Permalink to &quot;Extends&quot;">​</a></h2><ul><li><a href="./BlockBase"><code>BlockBase</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th><th>Inherited from</th></tr></thead><tbody><tr><td><a id="property-_meta"></a> <code>_meta?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>unknown</code>&gt;&gt;</td><td>Additional metadata.</td><td><a href="./BlockBase"><code>BlockBase</code></a>.<a href="./BlockBase#property-_meta"><code>_meta</code></a></td></tr><tr><td><a id="property-annotations"></a> <code>annotations?</code></td><td><code>readonly</code></td><td><a href="./Annotations"><code>Annotations</code></a></td><td>Audience, priority and age of the block.</td><td><a href="./BlockBase"><code>BlockBase</code></a>.<a href="./BlockBase#property-annotations"><code>annotations</code></a></td></tr><tr><td><a id="property-resource"></a> <code>resource</code></td><td><code>readonly</code></td><td><a href="./ResourceContents"><code>ResourceContents</code></a></td><td>Contents of the resource.</td><td>-</td></tr><tr><td><a id="property-type"></a> <code>type</code></td><td><code>readonly</code></td><td><code>&quot;resource&quot;</code></td><td>Type of the block.</td><td>-</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/EmbeddedResource.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const EmbeddedResource = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  EmbeddedResource as default
};
