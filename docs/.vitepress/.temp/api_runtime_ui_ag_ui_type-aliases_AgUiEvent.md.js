import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: AgUiEvent","description":"","frontmatter":{},"headers":[{"level":2,"title":"Type Declaration","slug":"type-declaration","link":"#type-declaration","children":[{"level":3,"title":"subagentRunId?","slug":"subagentrunid","link":"#subagentrunid","children":[]}]}],"relativePath":"api/runtime/ui/ag_ui/type-aliases/AgUiEvent.md","filePath":"api/runtime/ui/ag_ui/type-aliases/AgUiEvent.md"}');
const _sfc_main = { name: "api/runtime/ui/ag_ui/type-aliases/AgUiEvent.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-aguievent" tabindex="-1">Type Alias: AgUiEvent <a class="header-anchor" href="#type-alias-aguievent" aria-label="Permalink to &quot;Type Alias: AgUiEvent&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> AgUiEvent</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> AgUiEventBody</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> &amp;</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> object</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>An event of the AG-UI protocol, in version 1.0.</p><h2 id="type-declaration" tabindex="-1">Type Declaration <a class="header-anchor" href="#type-declaration" aria-label="Permalink to &quot;Type Declaration&quot;">​</a></h2><h3 id="subagentrunid" tabindex="-1">subagentRunId? <a class="header-anchor" href="#subagentrunid" aria-label="Permalink to &quot;subagentRunId?&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">readonly subagentRunId</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">?:</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> string;</span></span></code></pre></div><p>Run id of the sub-agent that the event belongs to. Absent for events of the outermost agent.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/ui/ag_ui/type-aliases/AgUiEvent.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const AgUiEvent = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  AgUiEvent as default
};
