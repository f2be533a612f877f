import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ServiceRequest","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/bridge/interfaces/ServiceRequest.md","filePath":"api/runtime/bridge/interfaces/ServiceRequest.md"}');
const _sfc_main = { name: "api/runtime/bridge/interfaces/ServiceRequest.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-servicerequest" tabindex="-1">Interface: ServiceRequest <a class="header-anchor" href="#interface-servicerequest" aria-label="Permalink to &quot;Interface: ServiceRequest&quot;">​</a></h1><p>A request with a task. A <code>PeerRequest</code> of <code>@parley/comm/requests</code> has these members.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-payload"></a> <code>payload</code></td><td><code>readonly</code></td><td><code>unknown</code></td><td>Payload of the request.</td></tr><tr><td><a id="property-sender"></a> <code>sender</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Verified DID of the requester.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/bridge/interfaces/ServiceRequest.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ServiceRequest = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ServiceRequest as default
};
