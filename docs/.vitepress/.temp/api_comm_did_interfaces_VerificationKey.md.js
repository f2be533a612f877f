import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: VerificationKey","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/did/interfaces/VerificationKey.md","filePath":"api/comm/did/interfaces/VerificationKey.md"}');
const _sfc_main = { name: "api/comm/did/interfaces/VerificationKey.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-verificationkey" tabindex="-1">Interface: VerificationKey <a class="header-anchor" href="#interface-verificationkey" aria-label="Permalink to &quot;Interface: VerificationKey&quot;">​</a></h1><p>A key that a DID document authorizes.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-end"></a> <code>end?</code></td><td><code>readonly</code></td><td><a href="./KeyEnd"><code>KeyEnd</code></a></td><td>The end of the key&#39;s validity. Absent if the document does not limit the validity.</td></tr><tr><td><a id="property-keyid"></a> <code>keyId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Absolute DID URL of the verification method.</td></tr><tr><td><a id="property-publickey"></a> <code>publicKey</code></td><td><code>readonly</code></td><td><code>Uint8Array</code>&lt;<code>ArrayBuffer</code>&gt;</td><td>The Ed25519 public key: 32 bytes that might not encode a point on the curve.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/did/interfaces/VerificationKey.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const VerificationKey = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  VerificationKey as default
};
