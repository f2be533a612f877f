import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ClientKey","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/auth/interfaces/ClientKey.md","filePath":"api/mcp/auth/interfaces/ClientKey.md"}');
const _sfc_main = { name: "api/mcp/auth/interfaces/ClientKey.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-clientkey" tabindex="-1">Interface: ClientKey <a class="header-anchor" href="#interface-clientkey" aria-label="Permalink to &quot;Interface: ClientKey&quot;">​</a></h1><p>Private key for client authentication with a signed JWT (RFC 7523).</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-key"></a> <code>key</code></td><td><code>readonly</code></td><td><code>CryptoKey</code></td><td>Private key with the usage <code>sign</code>.</td></tr><tr><td><a id="property-kid"></a> <code>kid?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Key identifier (<code>kid</code>) that is registered with the authorization server.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/auth/interfaces/ClientKey.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ClientKey = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ClientKey as default
};
