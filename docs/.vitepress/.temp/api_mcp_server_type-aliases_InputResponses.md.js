import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: InputResponses<Requests>","description":"","frontmatter":{},"headers":[{"level":2,"title":"Type Parameters","slug":"type-parameters","link":"#type-parameters","children":[]}],"relativePath":"api/mcp/server/type-aliases/InputResponses.md","filePath":"api/mcp/server/type-aliases/InputResponses.md"}');
const _sfc_main = { name: "api/mcp/server/type-aliases/InputResponses.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-inputresponses-requests" tabindex="-1">Type Alias: InputResponses&lt;Requests&gt; <a class="header-anchor" href="#type-alias-inputresponses-requests" aria-label="Permalink to &quot;Type Alias: InputResponses\\&lt;Requests\\&gt;&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> InputResponses</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">&lt;</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">Requests</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">&gt; </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">=</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> { </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">readonly</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> [</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">Key</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> in</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> keyof</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> Requests</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">]</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">:</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> InputResponse</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">&lt;</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">Requests</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">[</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">Key</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">]&gt; };</span></span></code></pre></div><p>Input responses, by the key of the input request.</p><h2 id="type-parameters" tabindex="-1">Type Parameters <a class="header-anchor" href="#type-parameters" aria-label="Permalink to &quot;Type Parameters&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Type Parameter</th></tr></thead><tbody><tr><td><a id="type-parameter-requests"></a> <code>Requests</code> <em>extends</em> <code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <a href="./../../protocol/type-aliases/InputRequest"><code>InputRequest</code></a>&gt;&gt;</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/server/type-aliases/InputResponses.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const InputResponses = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  InputResponses as default
};
