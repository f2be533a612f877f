import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Variable: didJwkResolver","description":"","frontmatter":{},"headers":[],"relativePath":"api/comm/did/variables/didJwkResolver.md","filePath":"api/comm/did/variables/didJwkResolver.md"}');
const _sfc_main = { name: "api/comm/did/variables/didJwkResolver.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="variable-didjwkresolver" tabindex="-1">Variable: didJwkResolver <a class="header-anchor" href="#variable-didjwkresolver" aria-label="Permalink to &quot;Variable: didJwkResolver&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">const</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> didJwkResolver</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">:</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> Resolvable</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Resolver for did:jwk. Resolution needs no network access. The resolver accepts all key types, but <code>selectKeys</code> rejects unsupported types.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/did/variables/didJwkResolver.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const didJwkResolver = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  didJwkResolver as default
};
