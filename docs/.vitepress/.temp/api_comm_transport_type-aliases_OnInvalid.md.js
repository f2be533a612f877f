import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: OnInvalid","description":"","frontmatter":{},"headers":[],"relativePath":"api/comm/transport/type-aliases/OnInvalid.md","filePath":"api/comm/transport/type-aliases/OnInvalid.md"}');
const _sfc_main = { name: "api/comm/transport/type-aliases/OnInvalid.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-oninvalid" tabindex="-1">Type Alias: OnInvalid <a class="header-anchor" href="#type-alias-oninvalid" aria-label="Permalink to &quot;Type Alias: OnInvalid&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> OnInvalid</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;throw&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;skip&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> ((</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">error</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">) </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">=&gt;</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> void</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">);</span></span></code></pre></div><p>Handling of a received line or frame that is not a valid message: <code>throw</code> rejects the call to <code>receive</code> with the error, <code>skip</code> ignores the line or frame, and a function is called with the error before the line or frame is ignored. If the function throws, <code>receive</code> rejects with the exception. Of several concurrent calls to <code>receive</code>, a call that ignores a line or frame then waits behind the other calls.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/transport/type-aliases/OnInvalid.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const OnInvalid = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  OnInvalid as default
};
