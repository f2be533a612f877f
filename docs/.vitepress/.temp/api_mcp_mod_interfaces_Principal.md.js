import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: Principal","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/mod/interfaces/Principal.md","filePath":"api/mcp/mod/interfaces/Principal.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/Principal.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-principal" tabindex="-1">Interface: Principal <a class="header-anchor" href="#interface-principal" aria-label="Permalink to &quot;Interface: Principal&quot;">​</a></h1><p>Authenticated user or application on whose behalf a request is sent.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-scopes"></a> <code>scopes?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Granted OAuth scopes.</td></tr><tr><td><a id="property-subject"></a> <code>subject</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Identifier of the principal, such as the <code>sub</code> claim of an access token or a user name.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/Principal.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Principal = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Principal as default
};
