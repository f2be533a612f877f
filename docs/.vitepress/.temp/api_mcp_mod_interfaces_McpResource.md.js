import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: McpResource","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/mod/interfaces/McpResource.md","filePath":"api/mcp/mod/interfaces/McpResource.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/McpResource.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-mcpresource" tabindex="-1">Interface: McpResource <a class="header-anchor" href="#interface-mcpresource" aria-label="Permalink to &quot;Interface: McpResource&quot;">​</a></h1><p>A resource, as described by a server.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-_meta"></a> <code>_meta?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>unknown</code>&gt;&gt;</td><td>Additional metadata.</td></tr><tr><td><a id="property-annotations"></a> <code>annotations?</code></td><td><code>readonly</code></td><td><a href="./../../protocol/interfaces/Annotations"><code>Annotations</code></a></td><td>Audience, priority and age of the resource.</td></tr><tr><td><a id="property-description"></a> <code>description?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Description of the resource for the model.</td></tr><tr><td><a id="property-icons"></a> <code>icons?</code></td><td><code>readonly</code></td><td>readonly <a href="./../../protocol/interfaces/Icon"><code>Icon</code></a>[]</td><td>Icons for user interfaces.</td></tr><tr><td><a id="property-mimetype"></a> <code>mimeType?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Media type of the resource.</td></tr><tr><td><a id="property-name"></a> <code>name</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the resource.</td></tr><tr><td><a id="property-size"></a> <code>size?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Size of the resource, in bytes.</td></tr><tr><td><a id="property-title"></a> <code>title?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Display name of the resource.</td></tr><tr><td><a id="property-uri"></a> <code>uri</code></td><td><code>readonly</code></td><td><code>string</code></td><td>URI of the resource, unique on the server.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/McpResource.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const McpResource = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  McpResource as default
};
