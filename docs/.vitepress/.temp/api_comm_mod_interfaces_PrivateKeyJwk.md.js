import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PrivateKeyJwk","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/mod/interfaces/PrivateKeyJwk.md","filePath":"api/comm/mod/interfaces/PrivateKeyJwk.md"}');
const _sfc_main = { name: "api/comm/mod/interfaces/PrivateKeyJwk.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-privatekeyjwk" tabindex="-1">Interface: PrivateKeyJwk <a class="header-anchor" href="#interface-privatekeyjwk" aria-label="Permalink to &quot;Interface: PrivateKeyJwk&quot;">​</a></h1><p>A private Ed25519 key as a JSON Web Key (RFC 8037 §2). Store the key like a password: it can be used to sign on behalf of its DID.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-crv"></a> <code>crv?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Curve: <code>Ed25519</code>.</td></tr><tr><td><a id="property-d"></a> <code>d?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Private key, 32 bytes, encoded as base64url.</td></tr><tr><td><a id="property-kid"></a> <code>kid?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>DID URL of the key, such as <code>did:web:ann.example#key-1</code>.</td></tr><tr><td><a id="property-kty"></a> <code>kty?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Key type: <code>OKP</code>.</td></tr><tr><td><a id="property-x"></a> <code>x?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Public key, 32 bytes, encoded as base64url.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/mod/interfaces/PrivateKeyJwk.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PrivateKeyJwk = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PrivateKeyJwk as default
};
