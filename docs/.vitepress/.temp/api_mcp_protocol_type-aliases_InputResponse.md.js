import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: InputResponse<Request>","description":"","frontmatter":{},"headers":[{"level":2,"title":"Type Parameters","slug":"type-parameters","link":"#type-parameters","children":[]}],"relativePath":"api/mcp/protocol/type-aliases/InputResponse.md","filePath":"api/mcp/protocol/type-aliases/InputResponse.md"}');
const _sfc_main = { name: "api/mcp/protocol/type-aliases/InputResponse.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-inputresponse-request" tabindex="-1">Type Alias: InputResponse&lt;Request&gt; <a class="header-anchor" href="#type-alias-inputresponse-request" aria-label="Permalink to &quot;Type Alias: InputResponse\\&lt;Request\\&gt;&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> InputResponse</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">&lt;</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">Request</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">&gt; </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">=</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> Request</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> extends</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> ElicitRequest</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> ?</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> ElicitResult</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> :</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> Request</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> extends</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> CreateMessageRequest</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> ?</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> CreateMessageResult</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> :</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> ListRootsResult</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>The response to an input request.</p><h2 id="type-parameters" tabindex="-1">Type Parameters <a class="header-anchor" href="#type-parameters" aria-label="Permalink to &quot;Type Parameters&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Type Parameter</th></tr></thead><tbody><tr><td><a id="type-parameter-request"></a> <code>Request</code> <em>extends</em> <a href="./InputRequest"><code>InputRequest</code></a></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/type-aliases/InputResponse.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const InputResponse = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  InputResponse as default
};
