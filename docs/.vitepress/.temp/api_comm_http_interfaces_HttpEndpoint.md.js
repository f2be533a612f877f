import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: HttpEndpoint","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/http/interfaces/HttpEndpoint.md","filePath":"api/comm/http/interfaces/HttpEndpoint.md"}');
const _sfc_main = { name: "api/comm/http/interfaces/HttpEndpoint.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-httpendpoint" tabindex="-1">Interface: HttpEndpoint <a class="header-anchor" href="#interface-httpendpoint" aria-label="Permalink to &quot;Interface: HttpEndpoint&quot;">​</a></h1><p>A transport over HTTP, and the handler that receives its messages.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-handler"></a> <code>handler</code></td><td><code>readonly</code></td><td>(<code>request</code>) =&gt; <code>Promise</code>&lt;<code>Response</code>&gt;</td><td>Handles a request. A POST request with one message receives status 202. Other statuses: 400 for an invalid message, 405 for another method, 408 for a body that does not arrive in time, 413 for a body that is too large, 415 for another content type than <code>application/json</code>, and 503 if the queue is full or the transport is closed.</td></tr><tr><td><a id="property-transport"></a> <code>transport</code></td><td><code>readonly</code></td><td><a href="./../../mod/interfaces/MessageTransport"><code>MessageTransport</code></a></td><td>Sends messages with POST requests, and receives the messages that arrive at <code>handler</code> and in responses. Messages to the same recipient are sent one after another.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/http/interfaces/HttpEndpoint.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const HttpEndpoint = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  HttpEndpoint as default
};
