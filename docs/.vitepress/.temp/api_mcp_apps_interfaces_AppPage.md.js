import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: AppPage","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extends","slug":"extends","link":"#extends","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/apps/interfaces/AppPage.md","filePath":"api/mcp/apps/interfaces/AppPage.md"}');
const _sfc_main = { name: "api/mcp/apps/interfaces/AppPage.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-apppage" tabindex="-1">Interface: AppPage <a class="header-anchor" href="#interface-apppage" aria-label="Permalink to &quot;Interface: AppPage&quot;">​</a></h1><p>Page of a tool, as read by a host.</p><h2 id="extends" tabindex="-1">Extends <a class="header-anchor" href="#extends" aria-label="Permalink to &quot;Extends&quot;">​</a></h2><ul><li><code>Omit</code>&lt;<a href="./AppPageMetadata"><code>AppPageMetadata</code></a>, <code>&quot;csp&quot;</code>&gt;</li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th><th>Inherited from</th></tr></thead><tbody><tr><td><a id="property-csp"></a> <code>csp</code></td><td><code>readonly</code></td><td><a href="./AppCsp"><code>AppCsp</code></a></td><td>Origins that the page may use. Empty if the server declares no origins.</td><td>-</td></tr><tr><td><a id="property-domain"></a> <code>domain?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Origin for the sandbox of the page. The host defines the format. If omitted, the host chooses an origin.</td><td><a href="./AppPageMetadata"><code>AppPageMetadata</code></a>.<a href="./AppPageMetadata#property-domain"><code>domain</code></a></td></tr><tr><td><a id="property-html"></a> <code>html</code></td><td><code>readonly</code></td><td><code>string</code></td><td>HTML document from the server. Untrusted: render it only in a sandboxed frame of another origin.</td><td>-</td></tr><tr><td><a id="property-permissions"></a> <code>permissions?</code></td><td><code>readonly</code></td><td><a href="./AppPermissions"><code>AppPermissions</code></a></td><td>Browser features that the page requests. If omitted, the page requests no browser features.</td><td><a href="./AppPageMetadata"><code>AppPageMetadata</code></a>.<a href="./AppPageMetadata#property-permissions"><code>permissions</code></a></td></tr><tr><td><a id="property-prefersborder"></a> <code>prefersBorder?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the host should draw a border and a background around the page. If omitted, the host decides.</td><td><a href="./AppPageMetadata"><code>AppPageMetadata</code></a>.<a href="./AppPageMetadata#property-prefersborder"><code>prefersBorder</code></a></td></tr><tr><td><a id="property-uri"></a> <code>uri</code></td><td><code>readonly</code></td><td><code>string</code></td><td>URI of the page.</td><td>-</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/apps/interfaces/AppPage.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const AppPage = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  AppPage as default
};
