import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: IdentityAssertionOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/auth/interfaces/IdentityAssertionOptions.md","filePath":"api/mcp/auth/interfaces/IdentityAssertionOptions.md"}');
const _sfc_main = { name: "api/mcp/auth/interfaces/IdentityAssertionOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-identityassertionoptions" tabindex="-1">Interface: IdentityAssertionOptions <a class="header-anchor" href="#interface-identityassertionoptions" aria-label="Permalink to &quot;Interface: IdentityAssertionOptions&quot;">​</a></h1><p>Options for <a href="./../functions/identityAssertion"><code>identityAssertion</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-clientid"></a> <code>clientId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Client identifier at the identity provider.</td></tr><tr><td><a id="property-clientsecret"></a> <code>clientSecret?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Client secret at the identity provider; omit for public clients.</td></tr><tr><td><a id="property-subjecttoken"></a> <code>subjectToken</code></td><td><code>readonly</code></td><td><code>string</code> | (() =&gt; <code>string</code> | <code>Promise</code>&lt;<code>string</code>&gt;)</td><td>The user&#39;s ID token or SAML assertion, or a function that returns one.</td></tr><tr><td><a id="property-subjecttokentype"></a> <code>subjectTokenType?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Token type of <code>subjectToken</code>. <strong>Default</strong> <code>{&quot;urn:ietf:params:oauth:token-type:id_token&quot;}</code></td></tr><tr><td><a id="property-tokenurl"></a> <code>tokenUrl</code></td><td><code>readonly</code></td><td><code>string</code></td><td>URL of the identity provider&#39;s token endpoint.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/auth/interfaces/IdentityAssertionOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const IdentityAssertionOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  IdentityAssertionOptions as default
};
