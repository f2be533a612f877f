import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ExchangeContext","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/server/interfaces/ExchangeContext.md","filePath":"api/mcp/server/interfaces/ExchangeContext.md"}');
const _sfc_main = { name: "api/mcp/server/interfaces/ExchangeContext.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-exchangecontext" tabindex="-1">Interface: ExchangeContext <a class="header-anchor" href="#interface-exchangecontext" aria-label="Permalink to &quot;Interface: ExchangeContext&quot;">​</a></h1><p>Request context provided by the serving layer.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-ask"></a> <code>ask?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/SendInputRequest"><code>SendInputRequest</code></a></td><td>Sends a server request to the client. If omitted, requesting input ends the request with the result type <code>input_required</code>.</td></tr><tr><td><a id="property-client"></a> <code>client</code></td><td><code>readonly</code></td><td><a href="./../../protocol/interfaces/ClientDescription"><code>ClientDescription</code></a></td><td>Client that sent the request.</td></tr><tr><td><a id="property-closestream"></a> <code>closeStream?</code></td><td><code>readonly</code></td><td>() =&gt; <code>void</code></td><td>Closes the request&#39;s SSE stream without ending the request. The client resumes the stream with <code>Last-Event-ID</code>.</td></tr><tr><td><a id="property-emit"></a> <code>emit?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/Emit"><code>Emit</code></a></td><td>Sends notifications and server requests ahead of the response. If omitted, notifications and server requests are dropped.</td></tr><tr><td><a id="property-ondelay"></a> <code>onDelay?</code></td><td><code>readonly</code></td><td>() =&gt; <code>void</code></td><td>Called if the response is not available immediately.</td></tr><tr><td><a id="property-principal"></a> <code>principal?</code></td><td><code>readonly</code></td><td><a href="./../../mod/interfaces/Principal"><code>Principal</code></a></td><td>Authenticated principal. Absent if the request is not authenticated.</td></tr><tr><td><a id="property-signal"></a> <code>signal</code></td><td><code>readonly</code></td><td><code>AbortSignal</code> | <a href="./SignalSource"><code>SignalSource</code></a></td><td>Signal that is aborted when the request is cancelled or its connection closes.</td></tr><tr><td><a id="property-transport"></a> <code>transport?</code></td><td><code>readonly</code></td><td><code>&quot;pipe&quot;</code> | <code>&quot;http&quot;</code></td><td>Transport of the request. Defaults to <code>pipe</code>.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/server/interfaces/ExchangeContext.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ExchangeContext = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ExchangeContext as default
};
