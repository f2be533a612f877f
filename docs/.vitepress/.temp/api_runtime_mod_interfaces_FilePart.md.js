import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: FilePart","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/FilePart.md","filePath":"api/runtime/mod/interfaces/FilePart.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/FilePart.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-filepart" tabindex="-1">Interface: FilePart <a class="header-anchor" href="#interface-filepart" aria-label="Permalink to &quot;Interface: FilePart&quot;">​</a></h1><p>A file, for example an image.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-data"></a> <code>data</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/FileData"><code>FileData</code></a></td><td>Content of the file.</td></tr><tr><td><a id="property-filename"></a> <code>filename?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the file.</td></tr><tr><td><a id="property-mediatype"></a> <code>mediaType</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Media type, for example <code>image/png</code>.</td></tr><tr><td><a id="property-provideroptions"></a> <code>providerOptions?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/ProviderOptions"><code>ProviderOptions</code></a></td><td>Provider-specific data.</td></tr><tr><td><a id="property-type"></a> <code>type</code></td><td><code>readonly</code></td><td><code>&quot;file&quot;</code></td><td>Type of the part.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/FilePart.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const FilePart = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  FilePart as default
};
