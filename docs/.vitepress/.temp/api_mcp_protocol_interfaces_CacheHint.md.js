import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: CacheHint","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/CacheHint.md","filePath":"api/mcp/protocol/interfaces/CacheHint.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/CacheHint.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-cachehint" tabindex="-1">Interface: CacheHint <a class="header-anchor" href="#interface-cachehint" aria-label="Permalink to &quot;Interface: CacheHint&quot;">​</a></h1><p>Caching rules for a result.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-cachescope"></a> <code>cacheScope</code></td><td><code>readonly</code></td><td><code>&quot;public&quot;</code> | <code>&quot;private&quot;</code></td><td>Whether a result may be cached for all users (<code>public</code>) or only for the requesting user (<code>private</code>).</td></tr><tr><td><a id="property-ttlms"></a> <code>ttlMs</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time for which a result may be cached, in milliseconds. 0 disables caching.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/CacheHint.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const CacheHint = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  CacheHint as default
};
