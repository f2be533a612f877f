import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: VerifiedToken","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/auth/interfaces/VerifiedToken.md","filePath":"api/mcp/auth/interfaces/VerifiedToken.md"}');
const _sfc_main = { name: "api/mcp/auth/interfaces/VerifiedToken.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-verifiedtoken" tabindex="-1">Interface: VerifiedToken <a class="header-anchor" href="#interface-verifiedtoken" aria-label="Permalink to &quot;Interface: VerifiedToken&quot;">​</a></h1><p>Claims of a verified access token.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-clientid"></a> <code>clientId?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Identifier of the client that the token was issued to, if known.</td></tr><tr><td><a id="property-scopes"></a> <code>scopes</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Granted scopes.</td></tr><tr><td><a id="property-subject"></a> <code>subject</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Subject of the token (<code>sub</code>). The server&#39;s sessions, tasks and encrypted request state belong to the subject. Different issuers can use the same subject for different users, so a verifier for several issuers must prefix the subject with the issuer.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/auth/interfaces/VerifiedToken.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const VerifiedToken = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  VerifiedToken as default
};
