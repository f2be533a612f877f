import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: Icon","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/Icon.md","filePath":"api/mcp/protocol/interfaces/Icon.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/Icon.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-icon" tabindex="-1">Interface: Icon <a class="header-anchor" href="#interface-icon" aria-label="Permalink to &quot;Interface: Icon&quot;">​</a></h1><p>An icon of a server, tool, resource or prompt.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-mimetype"></a> <code>mimeType?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Media type of the image, used instead of a missing or generic media type in the response for the URL.</td></tr><tr><td><a id="property-sizes"></a> <code>sizes?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Sizes in pixels, such as <code>48x48</code>, or <code>any</code> for a scalable image.</td></tr><tr><td><a id="property-src"></a> <code>src</code></td><td><code>readonly</code></td><td><code>string</code></td><td>URL of the image, with an <code>https:</code> or <code>data:</code> scheme.</td></tr><tr><td><a id="property-theme"></a> <code>theme?</code></td><td><code>readonly</code></td><td><code>&quot;light&quot;</code> | <code>&quot;dark&quot;</code></td><td>Background that the icon is designed for.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/Icon.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Icon = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Icon as default
};
