import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RestateContext","description":"","frontmatter":{},"headers":[{"level":2,"title":"Methods","slug":"methods","link":"#methods","children":[{"level":3,"title":"run()","slug":"run","link":"#run","children":[]}]}],"relativePath":"api/runtime/restate/interfaces/RestateContext.md","filePath":"api/runtime/restate/interfaces/RestateContext.md"}');
const _sfc_main = { name: "api/runtime/restate/interfaces/RestateContext.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-restatecontext" tabindex="-1">Interface: RestateContext <a class="header-anchor" href="#interface-restatecontext" aria-label="Permalink to &quot;Interface: RestateContext&quot;">​</a></h1><p>The part of a Restate context that <a href="./../functions/restateSteps"><code>restateSteps</code></a> uses.</p><h2 id="methods" tabindex="-1">Methods <a class="header-anchor" href="#methods" aria-label="Permalink to &quot;Methods&quot;">​</a></h2><h3 id="run" tabindex="-1">run() <a class="header-anchor" href="#run" aria-label="Permalink to &quot;run()&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;">run</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">(name, action): PromiseLike</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">&lt;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">unknown</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">&gt;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Executes an action and records its result, or returns the recorded result.</p><h4 id="parameters" tabindex="-1">Parameters <a class="header-anchor" href="#parameters" aria-label="Permalink to &quot;Parameters&quot;">​</a></h4><table tabindex="0"><thead><tr><th>Parameter</th><th>Type</th></tr></thead><tbody><tr><td><code>name</code></td><td><code>string</code></td></tr><tr><td><code>action</code></td><td>() =&gt; <code>Promise</code>&lt;<a href="./../../mod/type-aliases/JsonValue"><code>JsonValue</code></a>&gt;</td></tr></tbody></table><h4 id="returns" tabindex="-1">Returns <a class="header-anchor" href="#returns" aria-label="Permalink to &quot;Returns&quot;">​</a></h4><p><code>PromiseLike</code>&lt;<code>unknown</code>&gt;</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/restate/interfaces/RestateContext.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RestateContext = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RestateContext as default
};
