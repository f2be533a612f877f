import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PostgresDpopReplayStoreOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/postgres/interfaces/PostgresDpopReplayStoreOptions.md","filePath":"api/mcp/postgres/interfaces/PostgresDpopReplayStoreOptions.md"}');
const _sfc_main = { name: "api/mcp/postgres/interfaces/PostgresDpopReplayStoreOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-postgresdpopreplaystoreoptions" tabindex="-1">Interface: PostgresDpopReplayStoreOptions <a class="header-anchor" href="#interface-postgresdpopreplaystoreoptions" aria-label="Permalink to &quot;Interface: PostgresDpopReplayStoreOptions&quot;">​</a></h1><p>Options for <a href="./../functions/postgresDpopReplayStore"><code>postgresDpopReplayStore</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-maxproofs"></a> <code>maxProofs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of stored proofs of all processes, counted every 10 seconds. Beyond it, requests with DPoP are rejected with HTTP 503 until proofs expire. <strong>Default</strong> <code>{5_000_000}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/postgres/interfaces/PostgresDpopReplayStoreOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PostgresDpopReplayStoreOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PostgresDpopReplayStoreOptions as default
};
