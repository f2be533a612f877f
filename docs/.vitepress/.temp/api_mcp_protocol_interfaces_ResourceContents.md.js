import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ResourceContents","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/ResourceContents.md","filePath":"api/mcp/protocol/interfaces/ResourceContents.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/ResourceContents.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-resourcecontents" tabindex="-1">Interface: ResourceContents <a class="header-anchor" href="#interface-resourcecontents" aria-label="Permalink to &quot;Interface: ResourceContents&quot;">​</a></h1><p>Contents of a resource, either text or base64-encoded binary data.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-_meta"></a> <code>_meta?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>unknown</code>&gt;&gt;</td><td>Additional metadata.</td></tr><tr><td><a id="property-blob"></a> <code>blob?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Binary contents, encoded as base64.</td></tr><tr><td><a id="property-mimetype"></a> <code>mimeType?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Media type of the contents.</td></tr><tr><td><a id="property-text"></a> <code>text?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Text contents.</td></tr><tr><td><a id="property-uri"></a> <code>uri</code></td><td><code>readonly</code></td><td><code>string</code></td><td>URI of the resource.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/ResourceContents.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ResourceContents = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ResourceContents as default
};
