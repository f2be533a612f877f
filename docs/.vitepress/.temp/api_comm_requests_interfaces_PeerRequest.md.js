import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PeerRequest","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/requests/interfaces/PeerRequest.md","filePath":"api/comm/requests/interfaces/PeerRequest.md"}');
const _sfc_main = { name: "api/comm/requests/interfaces/PeerRequest.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-peerrequest" tabindex="-1">Interface: PeerRequest <a class="header-anchor" href="#interface-peerrequest" aria-label="Permalink to &quot;Interface: PeerRequest&quot;">​</a></h1><p>A verified request.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-message"></a> <code>message</code></td><td><code>readonly</code></td><td><a href="./../../mod/classes/AgentCommMessage"><code>AgentCommMessage</code></a></td><td>The message that contains the request.</td></tr><tr><td><a id="property-messagetype"></a> <code>messageType</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Message type of the request.</td></tr><tr><td><a id="property-payload"></a> <code>payload</code></td><td><code>readonly</code></td><td><a href="./../../mod/type-aliases/JsonValue"><code>JsonValue</code></a></td><td>Payload of the request, deeply frozen.</td></tr><tr><td><a id="property-sender"></a> <code>sender</code></td><td><code>readonly</code></td><td><code>string</code></td><td>DID of the requester.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/requests/interfaces/PeerRequest.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PeerRequest = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PeerRequest as default
};
