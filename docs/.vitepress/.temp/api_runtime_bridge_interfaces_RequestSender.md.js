import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RequestSender","description":"","frontmatter":{},"headers":[{"level":2,"title":"Methods","slug":"methods","link":"#methods","children":[{"level":3,"title":"request()","slug":"request","link":"#request","children":[]}]}],"relativePath":"api/runtime/bridge/interfaces/RequestSender.md","filePath":"api/runtime/bridge/interfaces/RequestSender.md"}');
const _sfc_main = { name: "api/runtime/bridge/interfaces/RequestSender.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-requestsender" tabindex="-1">Interface: RequestSender <a class="header-anchor" href="#interface-requestsender" aria-label="Permalink to &quot;Interface: RequestSender&quot;">​</a></h1><p>Sends requests to other agents. A <code>Peer</code> of <code>@parley/comm/requests</code> has this method.</p><h2 id="methods" tabindex="-1">Methods <a class="header-anchor" href="#methods" aria-label="Permalink to &quot;Methods&quot;">​</a></h2><h3 id="request" tabindex="-1">request() <a class="header-anchor" href="#request" aria-label="Permalink to &quot;request()&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;">request</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">(</span></span>
<span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">   recipient, </span></span>
<span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">   payload, </span></span>
<span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">   options</span></span>
<span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">): </span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">Promise</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">&lt;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">unknown</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">&gt;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Sends a request and returns the payload of the response.</p><h4 id="parameters" tabindex="-1">Parameters <a class="header-anchor" href="#parameters" aria-label="Permalink to &quot;Parameters&quot;">​</a></h4><table tabindex="0"><thead><tr><th>Parameter</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><code>recipient</code></td><td><code>string</code></td><td>DID of the agent to ask.</td></tr><tr><td><code>payload</code></td><td><a href="./../../mod/type-aliases/JsonValue"><code>JsonValue</code></a></td><td>Payload of the request.</td></tr><tr><td><code>options</code></td><td>{ <code>maxTotalMs?</code>: <code>number</code>; <code>onUpdate?</code>: (<code>payload</code>) =&gt; <code>void</code>; <code>signal?</code>: <code>AbortSignal</code>; <code>timeoutMs?</code>: <code>number</code>; }</td><td>Abort signal, timeouts, and a callback for the payload of each update.</td></tr><tr><td><code>options.maxTotalMs?</code></td><td><code>number</code></td><td>-</td></tr><tr><td><code>options.onUpdate?</code></td><td>(<code>payload</code>) =&gt; <code>void</code></td><td>-</td></tr><tr><td><code>options.signal?</code></td><td><code>AbortSignal</code></td><td>-</td></tr><tr><td><code>options.timeoutMs?</code></td><td><code>number</code></td><td>-</td></tr></tbody></table><h4 id="returns" tabindex="-1">Returns <a class="header-anchor" href="#returns" aria-label="Permalink to &quot;Returns&quot;">​</a></h4><p><code>Promise</code>&lt;<code>unknown</code>&gt;</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/bridge/interfaces/RequestSender.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RequestSender = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RequestSender as default
};
