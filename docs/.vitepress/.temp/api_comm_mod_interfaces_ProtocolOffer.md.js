import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ProtocolOffer","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/mod/interfaces/ProtocolOffer.md","filePath":"api/comm/mod/interfaces/ProtocolOffer.md"}');
const _sfc_main = { name: "api/comm/mod/interfaces/ProtocolOffer.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-protocoloffer" tabindex="-1">Interface: ProtocolOffer <a class="header-anchor" href="#interface-protocoloffer" aria-label="Permalink to &quot;Interface: ProtocolOffer&quot;">​</a></h1><p>An offer of the protocols that an agent supports. Two offers are equal if their canonical JSON is equal.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-offererdid"></a> <code>offererDid</code></td><td><code>readonly</code></td><td><code>string</code></td><td>DID of the offering agent.</td></tr><tr><td><a id="property-protocols"></a> <code>protocols</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Protocol identifiers in order of preference.</td></tr><tr><td><a id="property-timestamp"></a> <code>timestamp</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Time of the offer, as an RFC 3339 date-time.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/mod/interfaces/ProtocolOffer.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ProtocolOffer = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ProtocolOffer as default
};
