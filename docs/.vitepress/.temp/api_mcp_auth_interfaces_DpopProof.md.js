import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: DpopProof","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/auth/interfaces/DpopProof.md","filePath":"api/mcp/auth/interfaces/DpopProof.md"}');
const _sfc_main = { name: "api/mcp/auth/interfaces/DpopProof.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-dpopproof" tabindex="-1">Interface: DpopProof <a class="header-anchor" href="#interface-dpopproof" aria-label="Permalink to &quot;Interface: DpopProof&quot;">​</a></h1><p>A DPoP proof.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-expiresat"></a> <code>expiresAt</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time until which the proof is valid, in milliseconds since the Unix epoch.</td></tr><tr><td><a id="property-key"></a> <code>key</code></td><td><code>readonly</code></td><td><code>string</code></td><td>String that identifies the proof: a SHA-256 digest, encoded as base64url.</td></tr><tr><td><a id="property-subject"></a> <code>subject</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Subject of the access token that was presented with the proof.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/auth/interfaces/DpopProof.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const DpopProof = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  DpopProof as default
};
