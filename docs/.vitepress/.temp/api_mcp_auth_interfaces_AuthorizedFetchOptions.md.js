import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: AuthorizedFetchOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/auth/interfaces/AuthorizedFetchOptions.md","filePath":"api/mcp/auth/interfaces/AuthorizedFetchOptions.md"}');
const _sfc_main = { name: "api/mcp/auth/interfaces/AuthorizedFetchOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-authorizedfetchoptions" tabindex="-1">Interface: AuthorizedFetchOptions <a class="header-anchor" href="#interface-authorizedfetchoptions" aria-label="Permalink to &quot;Interface: AuthorizedFetchOptions&quot;">​</a></h1><p>Options for <a href="./../functions/authorizedFetch"><code>authorizedFetch</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-fetch"></a> <code>fetch?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/HttpFetch"><code>HttpFetch</code></a></td><td>Function that sends all requests, including those to authorization servers. Defaults to the built-in <code>fetch</code>.</td></tr><tr><td><a id="property-resource"></a> <code>resource</code></td><td><code>readonly</code></td><td><code>string</code></td><td>URL of the MCP server. Access tokens are sent only to the origin of the server URL.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/auth/interfaces/AuthorizedFetchOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const AuthorizedFetchOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  AuthorizedFetchOptions as default
};
