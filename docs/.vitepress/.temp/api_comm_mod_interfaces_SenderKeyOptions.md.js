import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: SenderKeyOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/mod/interfaces/SenderKeyOptions.md","filePath":"api/comm/mod/interfaces/SenderKeyOptions.md"}');
const _sfc_main = { name: "api/comm/mod/interfaces/SenderKeyOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-senderkeyoptions" tabindex="-1">Interface: SenderKeyOptions <a class="header-anchor" href="#interface-senderkeyoptions" aria-label="Permalink to &quot;Interface: SenderKeyOptions&quot;">​</a></h1><p>Options for resolving the keys of a sender.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./../../proof/interfaces/VerifyProofOptions"><code>VerifyProofOptions</code></a></li><li><a href="./VerifyMessageOptions"><code>VerifyMessageOptions</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-now"></a> <code>now?</code></td><td><code>readonly</code></td><td>() =&gt; <code>number</code></td><td>Returns the current time, in milliseconds. Revoked and expired keys are not used. Defaults to <code>Date.now</code>.</td></tr><tr><td><a id="property-relationship"></a> <code>relationship?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/KeyRelationship"><code>KeyRelationship</code></a></td><td>Verification relationship for which the sender&#39;s DID document must authorize the key. <strong>Default</strong> <code>{&quot;authentication&quot;}</code></td></tr><tr><td><a id="property-resolver"></a> <code>resolver?</code></td><td><code>readonly</code></td><td><a href="./Resolvable"><code>Resolvable</code></a></td><td>Resolver for sender DIDs. If omitted, only did:key and did:jwk are supported, which need no network access.</td></tr><tr><td><a id="property-signal"></a> <code>signal?</code></td><td><code>readonly</code></td><td><code>AbortSignal</code></td><td>Aborts the operation.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/mod/interfaces/SenderKeyOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const SenderKeyOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  SenderKeyOptions as default
};
