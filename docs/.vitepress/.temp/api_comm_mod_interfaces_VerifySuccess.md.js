import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: VerifySuccess","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/mod/interfaces/VerifySuccess.md","filePath":"api/comm/mod/interfaces/VerifySuccess.md"}');
const _sfc_main = { name: "api/comm/mod/interfaces/VerifySuccess.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-verifysuccess" tabindex="-1">Interface: VerifySuccess <a class="header-anchor" href="#interface-verifysuccess" aria-label="Permalink to &quot;Interface: VerifySuccess&quot;">​</a></h1><p>Result for a message that passed verification.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./../../policy/interfaces/ReservedMessage"><code>ReservedMessage</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-covered"></a> <code>covered</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Names of the authenticated members.</td></tr><tr><td><a id="property-keyid"></a> <code>keyId</code></td><td><code>readonly</code></td><td><code>string</code> | <code>undefined</code></td><td>DID URL of the key that signed the message, or <code>undefined</code> at level <code>none</code>.</td></tr><tr><td><a id="property-level"></a> <code>level</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/TrustLevel"><code>TrustLevel</code></a></td><td>Trust level of the message.</td></tr><tr><td><a id="property-ok"></a> <code>ok</code></td><td><code>readonly</code></td><td><code>true</code></td><td>Discriminant: <code>true</code> if the message passed verification.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/mod/interfaces/VerifySuccess.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const VerifySuccess = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  VerifySuccess as default
};
