import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Variable: NEGOTIATION_PROTOCOL","description":"","frontmatter":{},"headers":[],"relativePath":"api/comm/signed_negotiation/variables/NEGOTIATION_PROTOCOL.md","filePath":"api/comm/signed_negotiation/variables/NEGOTIATION_PROTOCOL.md"}');
const _sfc_main = { name: "api/comm/signed_negotiation/variables/NEGOTIATION_PROTOCOL.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="variable-negotiation-protocol" tabindex="-1">Variable: NEGOTIATION_PROTOCOL <a class="header-anchor" href="#variable-negotiation-protocol" aria-label="Permalink to &quot;Variable: NEGOTIATION\\_PROTOCOL&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">const</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> NEGOTIATION_PROTOCOL</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">:</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;parley.negotiation.v1&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;parley.negotiation.v1&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Protocol identifier for messages that carry offers and acceptances.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/signed_negotiation/variables/NEGOTIATION_PROTOCOL.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const NEGOTIATION_PROTOCOL = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  NEGOTIATION_PROTOCOL as default
};
