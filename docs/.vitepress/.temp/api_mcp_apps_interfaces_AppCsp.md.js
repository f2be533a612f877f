import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: AppCsp","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/apps/interfaces/AppCsp.md","filePath":"api/mcp/apps/interfaces/AppCsp.md"}');
const _sfc_main = { name: "api/mcp/apps/interfaces/AppCsp.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-appcsp" tabindex="-1">Interface: AppCsp <a class="header-anchor" href="#interface-appcsp" aria-label="Permalink to &quot;Interface: AppCsp&quot;">​</a></h1><p>Origins that a page may use. Hosts block all origins that are not listed.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-baseuridomains"></a> <code>baseUriDomains?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Origins for the base URI of the page.</td></tr><tr><td><a id="property-connectdomains"></a> <code>connectDomains?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Origins for network requests, such as <code>https://api.example.com</code>.</td></tr><tr><td><a id="property-framedomains"></a> <code>frameDomains?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Origins for nested frames.</td></tr><tr><td><a id="property-resourcedomains"></a> <code>resourceDomains?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Origins for scripts, styles, images, fonts and media, such as <code>https://*.example.com</code>.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/apps/interfaces/AppCsp.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const AppCsp = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  AppCsp as default
};
