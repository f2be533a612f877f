import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: KeyRelationship","description":"","frontmatter":{},"headers":[],"relativePath":"api/comm/mod/type-aliases/KeyRelationship.md","filePath":"api/comm/mod/type-aliases/KeyRelationship.md"}');
const _sfc_main = { name: "api/comm/mod/type-aliases/KeyRelationship.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-keyrelationship" tabindex="-1">Type Alias: KeyRelationship <a class="header-anchor" href="#type-alias-keyrelationship" aria-label="Permalink to &quot;Type Alias: KeyRelationship&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> KeyRelationship</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;authentication&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;assertionMethod&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>A verification relationship: <code>authentication</code> for keys that authenticate the DID subject, <code>assertionMethod</code> for keys that sign its claims.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/mod/type-aliases/KeyRelationship.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const KeyRelationship = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  KeyRelationship as default
};
