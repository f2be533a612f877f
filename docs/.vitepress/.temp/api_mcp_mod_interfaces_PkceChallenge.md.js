import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PkceChallenge","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/mod/interfaces/PkceChallenge.md","filePath":"api/mcp/mod/interfaces/PkceChallenge.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/PkceChallenge.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-pkcechallenge" tabindex="-1">Interface: PkceChallenge <a class="header-anchor" href="#interface-pkcechallenge" aria-label="Permalink to &quot;Interface: PkceChallenge&quot;">​</a></h1><p>A PKCE code verifier and its challenge.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-challenge"></a> <code>challenge</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Code challenge: the SHA-256 hash of the verifier in base64url, 43 characters. The challenge is sent in the authorization URL.</td></tr><tr><td><a id="property-method"></a> <code>method</code></td><td><code>readonly</code></td><td><code>&quot;S256&quot;</code></td><td>Code challenge method.</td></tr><tr><td><a id="property-verifier"></a> <code>verifier</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Code verifier: 32 random bytes in base64url, 43 characters. The verifier is secret and is sent only to the token endpoint.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/PkceChallenge.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PkceChallenge = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PkceChallenge as default
};
