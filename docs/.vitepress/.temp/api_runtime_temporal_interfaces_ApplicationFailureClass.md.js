import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ApplicationFailureClass","description":"","frontmatter":{},"headers":[{"level":2,"title":"Methods","slug":"methods","link":"#methods","children":[{"level":3,"title":"create()","slug":"create","link":"#create","children":[]}]}],"relativePath":"api/runtime/temporal/interfaces/ApplicationFailureClass.md","filePath":"api/runtime/temporal/interfaces/ApplicationFailureClass.md"}');
const _sfc_main = { name: "api/runtime/temporal/interfaces/ApplicationFailureClass.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-applicationfailureclass" tabindex="-1">Interface: ApplicationFailureClass <a class="header-anchor" href="#interface-applicationfailureclass" aria-label="Permalink to &quot;Interface: ApplicationFailureClass&quot;">​</a></h1><p>The class <code>ApplicationFailure</code> of Temporal, as far as <a href="./../functions/runModelActivity"><code>runModelActivity</code></a> uses it.</p><h2 id="methods" tabindex="-1">Methods <a class="header-anchor" href="#methods" aria-label="Permalink to &quot;Methods&quot;">​</a></h2><h3 id="create" tabindex="-1">create() <a class="header-anchor" href="#create" aria-label="Permalink to &quot;create()&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;">create</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">(options): Error;</span></span></code></pre></div><p>Creates an error that determines whether and when Temporal retries the activity.</p><h4 id="parameters" tabindex="-1">Parameters <a class="header-anchor" href="#parameters" aria-label="Permalink to &quot;Parameters&quot;">​</a></h4><table tabindex="0"><thead><tr><th>Parameter</th><th>Type</th></tr></thead><tbody><tr><td><code>options</code></td><td>{ <code>cause?</code>: <code>Error</code>; <code>message?</code>: <code>string</code>; <code>nextRetryDelay?</code>: <code>number</code>; <code>nonRetryable?</code>: <code>boolean</code>; <code>type?</code>: <code>string</code>; }</td></tr><tr><td><code>options.cause?</code></td><td><code>Error</code></td></tr><tr><td><code>options.message?</code></td><td><code>string</code></td></tr><tr><td><code>options.nextRetryDelay?</code></td><td><code>number</code></td></tr><tr><td><code>options.nonRetryable?</code></td><td><code>boolean</code></td></tr><tr><td><code>options.type?</code></td><td><code>string</code></td></tr></tbody></table><h4 id="returns" tabindex="-1">Returns <a class="header-anchor" href="#returns" aria-label="Permalink to &quot;Returns&quot;">​</a></h4><p><code>Error</code></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/temporal/interfaces/ApplicationFailureClass.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ApplicationFailureClass = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ApplicationFailureClass as default
};
