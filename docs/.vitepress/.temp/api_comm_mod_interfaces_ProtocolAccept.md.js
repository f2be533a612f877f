import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ProtocolAccept","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/mod/interfaces/ProtocolAccept.md","filePath":"api/comm/mod/interfaces/ProtocolAccept.md"}');
const _sfc_main = { name: "api/comm/mod/interfaces/ProtocolAccept.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-protocolaccept" tabindex="-1">Interface: ProtocolAccept <a class="header-anchor" href="#interface-protocolaccept" aria-label="Permalink to &quot;Interface: ProtocolAccept&quot;">​</a></h1><p>An acceptance of an offered protocol. Two acceptances are equal if their canonical JSON is equal.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-accepterdid"></a> <code>accepterDid</code></td><td><code>readonly</code></td><td><code>string</code></td><td>DID of the accepting agent.</td></tr><tr><td><a id="property-selectedprotocol"></a> <code>selectedProtocol</code></td><td><code>readonly</code></td><td><code>string</code></td><td>The selected protocol identifier.</td></tr><tr><td><a id="property-timestamp"></a> <code>timestamp</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Time of the acceptance, as an RFC 3339 date-time.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/mod/interfaces/ProtocolAccept.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ProtocolAccept = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ProtocolAccept as default
};
