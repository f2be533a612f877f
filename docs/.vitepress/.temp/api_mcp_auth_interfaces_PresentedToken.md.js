import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PresentedToken","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/auth/interfaces/PresentedToken.md","filePath":"api/mcp/auth/interfaces/PresentedToken.md"}');
const _sfc_main = { name: "api/mcp/auth/interfaces/PresentedToken.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-presentedtoken" tabindex="-1">Interface: PresentedToken <a class="header-anchor" href="#interface-presentedtoken" aria-label="Permalink to &quot;Interface: PresentedToken&quot;">​</a></h1><p>An access token and the request that presented it.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-request"></a> <code>request</code></td><td><code>readonly</code></td><td><code>Request</code></td><td>HTTP request that presented the token, without its body. The request URL is the server&#39;s public URL.</td></tr><tr><td><a id="property-resource"></a> <code>resource</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Resource identifier of the server, which is the required audience of the token.</td></tr><tr><td><a id="property-scheme"></a> <code>scheme</code></td><td><code>readonly</code></td><td><code>&quot;bearer&quot;</code> | <code>&quot;dpop&quot;</code></td><td>Authentication scheme of the request.</td></tr><tr><td><a id="property-token"></a> <code>token</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Access token.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/auth/interfaces/PresentedToken.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PresentedToken = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PresentedToken as default
};
