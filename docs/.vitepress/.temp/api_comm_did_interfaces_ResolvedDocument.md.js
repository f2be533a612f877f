import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ResolvedDocument","description":"","frontmatter":{},"headers":[{"level":2,"title":"Indexable","slug":"indexable","link":"#indexable","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/did/interfaces/ResolvedDocument.md","filePath":"api/comm/did/interfaces/ResolvedDocument.md"}');
const _sfc_main = { name: "api/comm/did/interfaces/ResolvedDocument.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-resolveddocument" tabindex="-1">Interface: ResolvedDocument <a class="header-anchor" href="#interface-resolveddocument" aria-label="Permalink to &quot;Interface: ResolvedDocument&quot;">​</a></h1><p>A DID document in which only the <code>id</code> is validated.</p><h2 id="indexable" tabindex="-1">Indexable <a class="header-anchor" href="#indexable" aria-label="Permalink to &quot;Indexable&quot;">​</a></h2><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">[member: string]: unknown</span></span></code></pre></div><p>All members except <code>id</code> are unvalidated.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-id"></a> <code>id</code></td><td><code>readonly</code></td><td><code>string</code></td><td>The DID of the document.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/did/interfaces/ResolvedDocument.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ResolvedDocument = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ResolvedDocument as default
};
