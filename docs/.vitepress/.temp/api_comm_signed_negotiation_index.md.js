import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"@parley/comm/signed-negotiation","description":"","frontmatter":{},"headers":[{"level":2,"title":"Interfaces","slug":"interfaces","link":"#interfaces","children":[]},{"level":2,"title":"Variables","slug":"variables","link":"#variables","children":[]},{"level":2,"title":"Functions","slug":"functions","link":"#functions","children":[]}],"relativePath":"api/comm/signed_negotiation/index.md","filePath":"api/comm/signed_negotiation/index.md"}');
const _sfc_main = { name: "api/comm/signed_negotiation/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="parley-comm-signed-negotiation" tabindex="-1">@parley/comm/signed-negotiation <a class="header-anchor" href="#parley-comm-signed-negotiation" aria-label="Permalink to &quot;@parley/comm/signed-negotiation&quot;">​</a></h1><p>Protocol negotiation with signed messages.</p><p>Call <a href="./functions/signOffer"><code>signOffer</code></a>, <a href="./functions/acceptOffer"><code>acceptOffer</code></a> and <a href="./functions/verifyAcceptance"><code>verifyAcceptance</code></a> in this order. The signatures prevent downgrade attacks, in which an intermediary removes protocols from an offer.</p><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/AcceptOfferOptions">AcceptOfferOptions</a></li><li><a href="./interfaces/SignOfferOptions">SignOfferOptions</a></li><li><a href="./interfaces/VerifyAcceptanceOptions">VerifyAcceptanceOptions</a></li></ul><h2 id="variables" tabindex="-1">Variables <a class="header-anchor" href="#variables" aria-label="Permalink to &quot;Variables&quot;">​</a></h2><ul><li><a href="./variables/NEGOTIATION_PROTOCOL">NEGOTIATION_PROTOCOL</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/acceptOffer">acceptOffer</a></li><li><a href="./functions/signOffer">signOffer</a></li><li><a href="./functions/verifyAcceptance">verifyAcceptance</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/signed_negotiation/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
