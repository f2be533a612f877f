import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: OutputOf<Schema>","description":"","frontmatter":{},"headers":[{"level":2,"title":"Type Parameters","slug":"type-parameters","link":"#type-parameters","children":[]}],"relativePath":"api/mcp/server/type-aliases/OutputOf.md","filePath":"api/mcp/server/type-aliases/OutputOf.md"}');
const _sfc_main = { name: "api/mcp/server/type-aliases/OutputOf.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-outputof-schema" tabindex="-1">Type Alias: OutputOf&lt;Schema&gt; <a class="header-anchor" href="#type-alias-outputof-schema" aria-label="Permalink to &quot;Type Alias: OutputOf\\&lt;Schema\\&gt;&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> OutputOf</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">&lt;</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">Schema</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">&gt; </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">=</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> Schema</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> extends</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> StandardSchema</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">&lt;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">infer</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> _Input</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">, </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">infer</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> Output</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">&gt; </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">?</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> Output</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> :</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> never</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Type of the values that a Standard Schema returns from validation.</p><h2 id="type-parameters" tabindex="-1">Type Parameters <a class="header-anchor" href="#type-parameters" aria-label="Permalink to &quot;Type Parameters&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Type Parameter</th></tr></thead><tbody><tr><td><a id="type-parameter-schema"></a> <code>Schema</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/server/type-aliases/OutputOf.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const OutputOf = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  OutputOf as default
};
