import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ProtocolId","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/mod/interfaces/ProtocolId.md","filePath":"api/comm/mod/interfaces/ProtocolId.md"}');
const _sfc_main = { name: "api/comm/mod/interfaces/ProtocolId.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-protocolid" tabindex="-1">Interface: ProtocolId <a class="header-anchor" href="#interface-protocolid" aria-label="Permalink to &quot;Interface: ProtocolId&quot;">​</a></h1><p>Components of a protocol identifier.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-name"></a> <code>name</code></td><td><code>readonly</code></td><td><code>string</code></td><td>The second-to-last label, such as <code>task</code>.</td></tr><tr><td><a id="property-namespace"></a> <code>namespace</code></td><td><code>readonly</code></td><td><code>string</code></td><td>All labels before the name, separated by dots.</td></tr><tr><td><a id="property-version"></a> <code>version</code></td><td><code>readonly</code></td><td><code>number</code></td><td>The major version. Different versions of a protocol are incompatible.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/mod/interfaces/ProtocolId.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ProtocolId = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ProtocolId as default
};
