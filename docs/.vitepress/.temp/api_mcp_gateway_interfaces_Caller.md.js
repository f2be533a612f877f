import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: Caller","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/gateway/interfaces/Caller.md","filePath":"api/mcp/gateway/interfaces/Caller.md"}');
const _sfc_main = { name: "api/mcp/gateway/interfaces/Caller.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-caller" tabindex="-1">Interface: Caller <a class="header-anchor" href="#interface-caller" aria-label="Permalink to &quot;Interface: Caller&quot;">​</a></h1><p>The client of the gateway on whose behalf an upstream server is used.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-principal"></a> <code>principal</code></td><td><code>readonly</code></td><td><a href="./../../mod/interfaces/Principal"><code>Principal</code></a> | <code>undefined</code></td><td>Authenticated principal. <code>undefined</code> if the request is not authenticated.</td></tr><tr><td><a id="property-signal"></a> <code>signal</code></td><td><code>readonly</code></td><td><code>AbortSignal</code></td><td>Signal that is aborted when the caller no longer waits or the gateway closes.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/gateway/interfaces/Caller.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Caller = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Caller as default
};
