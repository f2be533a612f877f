import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: HttpContext","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/server/interfaces/HttpContext.md","filePath":"api/mcp/server/interfaces/HttpContext.md"}');
const _sfc_main = { name: "api/mcp/server/interfaces/HttpContext.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-httpcontext" tabindex="-1">Interface: HttpContext <a class="header-anchor" href="#interface-httpcontext" aria-label="Permalink to &quot;Interface: HttpContext&quot;">​</a></h1><p>Information about a request that the HTTP message does not contain.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-principal"></a> <code>principal?</code></td><td><code>readonly</code></td><td><a href="./../../mod/interfaces/Principal"><code>Principal</code></a></td><td>Authenticated principal that sent the request.</td></tr><tr><td><a id="property-remoteaddr"></a> <code>remoteAddr?</code></td><td><code>readonly</code></td><td><code>unknown</code></td><td>Remote address that <code>Deno.serve</code> passes to its handler. Ignored.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/server/interfaces/HttpContext.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const HttpContext = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  HttpContext as default
};
