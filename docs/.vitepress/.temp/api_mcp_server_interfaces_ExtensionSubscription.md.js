import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ExtensionSubscription","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]},{"level":2,"title":"Methods","slug":"methods","link":"#methods","children":[{"level":3,"title":"stop()","slug":"stop","link":"#stop","children":[]}]}],"relativePath":"api/mcp/server/interfaces/ExtensionSubscription.md","filePath":"api/mcp/server/interfaces/ExtensionSubscription.md"}');
const _sfc_main = { name: "api/mcp/server/interfaces/ExtensionSubscription.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-extensionsubscription" tabindex="-1">Interface: ExtensionSubscription <a class="header-anchor" href="#interface-extensionsubscription" aria-label="Permalink to &quot;Interface: ExtensionSubscription&quot;">​</a></h1><p>An extension&#39;s subscription on one subscription stream.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-accepted"></a> <code>accepted</code></td><td><code>readonly</code></td><td><a href="./../../mod/type-aliases/JsonObject"><code>JsonObject</code></a></td><td>Accepted part of the subscription filter. The acknowledgment that the client receives contains this part of the filter.</td></tr></tbody></table><h2 id="methods" tabindex="-1">Methods <a class="header-anchor" href="#methods" aria-label="Permalink to &quot;Methods&quot;">​</a></h2><h3 id="stop" tabindex="-1">stop() <a class="header-anchor" href="#stop" aria-label="Permalink to &quot;stop()&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;">stop</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">(): </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">void</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Called when the subscription stream ends.</p><h4 id="returns" tabindex="-1">Returns <a class="header-anchor" href="#returns" aria-label="Permalink to &quot;Returns&quot;">​</a></h4><p><code>void</code></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/server/interfaces/ExtensionSubscription.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ExtensionSubscription = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ExtensionSubscription as default
};
