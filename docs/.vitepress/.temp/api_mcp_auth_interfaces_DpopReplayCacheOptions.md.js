import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: DpopReplayCacheOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/auth/interfaces/DpopReplayCacheOptions.md","filePath":"api/mcp/auth/interfaces/DpopReplayCacheOptions.md"}');
const _sfc_main = { name: "api/mcp/auth/interfaces/DpopReplayCacheOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-dpopreplaycacheoptions" tabindex="-1">Interface: DpopReplayCacheOptions <a class="header-anchor" href="#interface-dpopreplaycacheoptions" aria-label="Permalink to &quot;Interface: DpopReplayCacheOptions&quot;">​</a></h1><p>Options for <a href="./../classes/DpopReplayCache"><code>DpopReplayCache</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-maxproofs"></a> <code>maxProofs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of DPoP proofs in the replay cache. A proof is usually stored for 5 minutes, so the default suffices for 1,600 requests per second. Beyond this limit, requests with DPoP are rejected with HTTP 503 until proofs expire, because a proof that is no longer stored could be replayed. <strong>Default</strong> <code>{500_000}</code></td></tr><tr><td><a id="property-maxshareperprincipal"></a> <code>maxSharePerPrincipal?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum share of <code>maxProofs</code> per subject, greater than 0 and at most 1. <strong>Default</strong> <code>{0.25}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/auth/interfaces/DpopReplayCacheOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const DpopReplayCacheOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  DpopReplayCacheOptions as default
};
