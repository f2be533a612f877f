import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ServiceContext","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]},{"level":2,"title":"Methods","slug":"methods","link":"#methods","children":[{"level":3,"title":"update()","slug":"update","link":"#update","children":[]}]}],"relativePath":"api/runtime/bridge/interfaces/ServiceContext.md","filePath":"api/runtime/bridge/interfaces/ServiceContext.md"}');
const _sfc_main = { name: "api/runtime/bridge/interfaces/ServiceContext.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-servicecontext" tabindex="-1">Interface: ServiceContext <a class="header-anchor" href="#interface-servicecontext" aria-label="Permalink to &quot;Interface: ServiceContext&quot;">​</a></h1><p>The context of a request. A <code>PeerContext</code> of <code>@parley/comm/requests</code> has these members.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-signal"></a> <code>signal</code></td><td><code>readonly</code></td><td><code>AbortSignal</code></td><td>Aborted when the request ends early: with an <code>AbortError</code> if and only if the requester cancels the request.</td></tr></tbody></table><h2 id="methods" tabindex="-1">Methods <a class="header-anchor" href="#methods" aria-label="Permalink to &quot;Methods&quot;">​</a></h2><h3 id="update" tabindex="-1">update() <a class="header-anchor" href="#update" aria-label="Permalink to &quot;update()&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;">update</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">(payload): </span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">Promise</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">&lt;void&gt;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Sends an update to the requester.</p><h4 id="parameters" tabindex="-1">Parameters <a class="header-anchor" href="#parameters" aria-label="Permalink to &quot;Parameters&quot;">​</a></h4><table tabindex="0"><thead><tr><th>Parameter</th><th>Type</th></tr></thead><tbody><tr><td><code>payload</code></td><td><a href="./../../mod/type-aliases/JsonValue"><code>JsonValue</code></a></td></tr></tbody></table><h4 id="returns" tabindex="-1">Returns <a class="header-anchor" href="#returns" aria-label="Permalink to &quot;Returns&quot;">​</a></h4><p><code>Promise</code>&lt;<code>void</code>&gt;</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/bridge/interfaces/ServiceContext.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ServiceContext = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ServiceContext as default
};
