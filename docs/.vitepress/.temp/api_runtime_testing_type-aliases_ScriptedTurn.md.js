import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: ScriptedTurn","description":"","frontmatter":{},"headers":[],"relativePath":"api/runtime/testing/type-aliases/ScriptedTurn.md","filePath":"api/runtime/testing/type-aliases/ScriptedTurn.md"}');
const _sfc_main = { name: "api/runtime/testing/type-aliases/ScriptedTurn.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-scriptedturn" tabindex="-1">Type Alias: ScriptedTurn <a class="header-anchor" href="#type-alias-scriptedturn" aria-label="Permalink to &quot;Type Alias: ScriptedTurn&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> ScriptedTurn</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> </span></span>
<span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">  |</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> ScriptedAnswer</span></span>
<span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">  |</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> ScriptedFailure</span></span>
<span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">  |</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> RecordedTurn</span></span>
<span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">  |</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> ((</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">request</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">) </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">=&gt;</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> unknown</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">);</span></span></code></pre></div><p>A turn of a script: a response, a failure, a turn recorded with <code>recordModel</code>, or a function that returns a response or a failure. The function may be asynchronous. Any other value that the function returns is used as the model&#39;s response without changes.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/testing/type-aliases/ScriptedTurn.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ScriptedTurn = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ScriptedTurn as default
};
