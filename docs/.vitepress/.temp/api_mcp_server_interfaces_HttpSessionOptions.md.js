import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: HttpSessionOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/server/interfaces/HttpSessionOptions.md","filePath":"api/mcp/server/interfaces/HttpSessionOptions.md"}');
const _sfc_main = { name: "api/mcp/server/interfaces/HttpSessionOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-httpsessionoptions" tabindex="-1">Interface: HttpSessionOptions <a class="header-anchor" href="#interface-httpsessionoptions" aria-label="Permalink to &quot;Interface: HttpSessionOptions&quot;">​</a></h1><p>Limits and timeouts for a session.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-inputtimeoutms"></a> <code>inputTimeoutMs</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Timeout for the client&#39;s response to a server request, in milliseconds.</td></tr><tr><td><a id="property-keepalivems"></a> <code>keepAliveMs</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Idle time of a stream before a keep-alive comment is sent, in milliseconds.</td></tr><tr><td><a id="property-maxconcurrent"></a> <code>maxConcurrent</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of in-flight requests. Further requests are rejected with HTTP 429.</td></tr><tr><td><a id="property-maxevents"></a> <code>maxEvents</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of events stored per stream for resumption. When this limit is reached, the oldest events are discarded.</td></tr><tr><td><a id="property-maxresourcesubscriptions"></a> <code>maxResourceSubscriptions</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of resource subscriptions.</td></tr><tr><td><a id="property-maxstreams"></a> <code>maxStreams</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of ended streams stored for resumption. When this limit is reached, the oldest streams are discarded.</td></tr><tr><td><a id="property-readtimeoutms"></a> <code>readTimeoutMs</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Timeout for a client that does not read an open stream, in milliseconds. When the timeout expires, the stream is closed, and the client can resume it. Until the timeout expires, a handler that awaits <code>progress()</code> or <code>log()</code> waits for the client.</td></tr><tr><td><a id="property-retryms"></a> <code>retryMs</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Delay before the client reconnects to resume a stream (the SSE <code>retry</code> field), in milliseconds.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/server/interfaces/HttpSessionOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const HttpSessionOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  HttpSessionOptions as default
};
