import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: McpResourceTemplate","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/mod/interfaces/McpResourceTemplate.md","filePath":"api/mcp/mod/interfaces/McpResourceTemplate.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/McpResourceTemplate.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-mcpresourcetemplate" tabindex="-1">Interface: McpResourceTemplate <a class="header-anchor" href="#interface-mcpresourcetemplate" aria-label="Permalink to &quot;Interface: McpResourceTemplate&quot;">​</a></h1><p>A template for resources whose URIs match a URI template.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-_meta"></a> <code>_meta?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>unknown</code>&gt;&gt;</td><td>Additional metadata.</td></tr><tr><td><a id="property-annotations"></a> <code>annotations?</code></td><td><code>readonly</code></td><td><a href="./../../protocol/interfaces/Annotations"><code>Annotations</code></a></td><td>Audience, priority and age of the resources.</td></tr><tr><td><a id="property-description"></a> <code>description?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Description of the resources for the model.</td></tr><tr><td><a id="property-icons"></a> <code>icons?</code></td><td><code>readonly</code></td><td>readonly <a href="./../../protocol/interfaces/Icon"><code>Icon</code></a>[]</td><td>Icons for user interfaces.</td></tr><tr><td><a id="property-mimetype"></a> <code>mimeType?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Media type of the resources, if they all have the same type.</td></tr><tr><td><a id="property-name"></a> <code>name</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the resource template.</td></tr><tr><td><a id="property-title"></a> <code>title?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Display name of the resource template.</td></tr><tr><td><a id="property-uritemplate"></a> <code>uriTemplate</code></td><td><code>readonly</code></td><td><code>string</code></td><td>URI template (RFC 6570), unique on the server.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/McpResourceTemplate.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const McpResourceTemplate = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  McpResourceTemplate as default
};
