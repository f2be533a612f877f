import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: ToolSpecs<Schemas>","description":"","frontmatter":{},"headers":[{"level":2,"title":"Type Parameters","slug":"type-parameters","link":"#type-parameters","children":[]}],"relativePath":"api/runtime/mod/type-aliases/ToolSpecs.md","filePath":"api/runtime/mod/type-aliases/ToolSpecs.md"}');
const _sfc_main = { name: "api/runtime/mod/type-aliases/ToolSpecs.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-toolspecs-schemas" tabindex="-1">Type Alias: ToolSpecs&lt;Schemas&gt; <a class="header-anchor" href="#type-alias-toolspecs-schemas" aria-label="Permalink to &quot;Type Alias: ToolSpecs\\&lt;Schemas\\&gt;&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> ToolSpecs</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">&lt;</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">Schemas</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">&gt; </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">=</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> { </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">readonly</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> [</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">Index</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> in</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> keyof</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> Schemas</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">]</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">:</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> ToolSpec</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">&lt;</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">Schemas</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">[</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">Index</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">]&gt; };</span></span></code></pre></div><p>Tools as written in an agent&#39;s configuration. The type of each tool&#39;s input is inferred from the tool&#39;s schema.</p><h2 id="type-parameters" tabindex="-1">Type Parameters <a class="header-anchor" href="#type-parameters" aria-label="Permalink to &quot;Type Parameters&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Type Parameter</th><th>Description</th></tr></thead><tbody><tr><td><a id="type-parameter-schemas"></a> <code>Schemas</code> <em>extends</em> readonly <a href="./Schema"><code>Schema</code></a>[]</td><td>Types of the input schemas, in order.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/type-aliases/ToolSpecs.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ToolSpecs = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ToolSpecs as default
};
