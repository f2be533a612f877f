import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: CachedResolverOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/did/interfaces/CachedResolverOptions.md","filePath":"api/comm/did/interfaces/CachedResolverOptions.md"}');
const _sfc_main = { name: "api/comm/did/interfaces/CachedResolverOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-cachedresolveroptions" tabindex="-1">Interface: CachedResolverOptions <a class="header-anchor" href="#interface-cachedresolveroptions" aria-label="Permalink to &quot;Interface: CachedResolverOptions&quot;">​</a></h1><p>Options for <a href="./../functions/cachedResolver"><code>cachedResolver</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-maxbytes"></a> <code>maxBytes?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum total memory of the cached results, in bytes. The memory of a result is estimated from its values: a document of 64 KiB can take more than 1 MiB. A result that exceeds the limit on its own is not cached. <strong>Default</strong> <code>{16_777_216}</code></td></tr><tr><td><a id="property-maxentries"></a> <code>maxEntries?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of cached DIDs. The least recently used entry is evicted first. <strong>Default</strong> <code>{1000}</code></td></tr><tr><td><a id="property-negativettlms"></a> <code>negativeTtlMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Lifetime of a cached resolution failure, in milliseconds. Rejected promises are not cached, and neither are failures with <code>tooManyRequests</code>: a short flood of forged messages would otherwise lock out a sender for <code>negativeTtlMs</code>. <strong>Default</strong> <code>{30_000}</code></td></tr><tr><td><a id="property-now"></a> <code>now?</code></td><td><code>readonly</code></td><td>() =&gt; <code>number</code></td><td>Returns the current time, in milliseconds. Defaults to <code>Date.now</code>.</td></tr><tr><td><a id="property-ttlms"></a> <code>ttlMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Lifetime of a cached document, in milliseconds. If a key is revoked, a cached document keeps the key trusted for up to <code>ttlMs</code>. <strong>Default</strong> <code>{300_000}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/did/interfaces/CachedResolverOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const CachedResolverOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  CachedResolverOptions as default
};
