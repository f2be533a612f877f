import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: AppPageMetadata","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/apps/interfaces/AppPageMetadata.md","filePath":"api/mcp/apps/interfaces/AppPageMetadata.md"}');
const _sfc_main = { name: "api/mcp/apps/interfaces/AppPageMetadata.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-apppagemetadata" tabindex="-1">Interface: AppPageMetadata <a class="header-anchor" href="#interface-apppagemetadata" aria-label="Permalink to &quot;Interface: AppPageMetadata&quot;">​</a></h1><p>Metadata of a page, for the host that renders the page.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./AppOptions"><code>AppOptions</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-csp"></a> <code>csp?</code></td><td><code>readonly</code></td><td><a href="./AppCsp"><code>AppCsp</code></a></td><td>Origins that the page may use. If omitted, the page may use no other origins.</td></tr><tr><td><a id="property-domain"></a> <code>domain?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Origin for the sandbox of the page. The host defines the format. If omitted, the host chooses an origin.</td></tr><tr><td><a id="property-permissions"></a> <code>permissions?</code></td><td><code>readonly</code></td><td><a href="./AppPermissions"><code>AppPermissions</code></a></td><td>Browser features that the page requests. If omitted, the page requests no browser features.</td></tr><tr><td><a id="property-prefersborder"></a> <code>prefersBorder?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the host should draw a border and a background around the page. If omitted, the host decides.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/apps/interfaces/AppPageMetadata.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const AppPageMetadata = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  AppPageMetadata as default
};
