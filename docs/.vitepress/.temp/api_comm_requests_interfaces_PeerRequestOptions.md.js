import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PeerRequestOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/requests/interfaces/PeerRequestOptions.md","filePath":"api/comm/requests/interfaces/PeerRequestOptions.md"}');
const _sfc_main = { name: "api/comm/requests/interfaces/PeerRequestOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-peerrequestoptions" tabindex="-1">Interface: PeerRequestOptions <a class="header-anchor" href="#interface-peerrequestoptions" aria-label="Permalink to &quot;Interface: PeerRequestOptions&quot;">​</a></h1><p>Options for a single request.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-maxtotalms"></a> <code>maxTotalMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum duration of the request, in milliseconds, including all updates. <strong>Default</strong> <code>{600_000}</code></td></tr><tr><td><a id="property-messagetype"></a> <code>messageType?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Message type of the request: any type but <code>update</code>, <code>response</code>, <code>error</code> and <code>cancel</code>. <strong>Default</strong> <code>{&quot;request&quot;}</code></td></tr><tr><td><a id="property-onupdate"></a> <code>onUpdate?</code></td><td><code>readonly</code></td><td>(<code>payload</code>) =&gt; <code>void</code> | <code>Promise</code>&lt;<code>void</code>&gt;</td><td>Called with the payload of each update. An error that the function throws is reported to the peer&#39;s <code>onError</code>.</td></tr><tr><td><a id="property-signal"></a> <code>signal?</code></td><td><code>readonly</code></td><td><code>AbortSignal</code></td><td>Aborts the request. The recipient receives a <code>cancel</code> message.</td></tr><tr><td><a id="property-timeoutms"></a> <code>timeoutMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum time without a reply, in milliseconds. Each update restarts the time. <strong>Default</strong> <code>{60_000}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/requests/interfaces/PeerRequestOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PeerRequestOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PeerRequestOptions as default
};
