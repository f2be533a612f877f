import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: HttpTransportOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/client/interfaces/HttpTransportOptions.md","filePath":"api/mcp/client/interfaces/HttpTransportOptions.md"}');
const _sfc_main = { name: "api/mcp/client/interfaces/HttpTransportOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-httptransportoptions" tabindex="-1">Interface: HttpTransportOptions <a class="header-anchor" href="#interface-httptransportoptions" aria-label="Permalink to &quot;Interface: HttpTransportOptions&quot;">​</a></h1><p>Options for an HTTP transport.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-closetimeoutms"></a> <code>closeTimeoutMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Timeout for the request that ends a session, in milliseconds. <strong>Default</strong> <code>{2000}</code></td></tr><tr><td><a id="property-fetch"></a> <code>fetch?</code></td><td><code>readonly</code></td><td><a href="./../../auth/type-aliases/HttpFetch"><code>HttpFetch</code></a></td><td>Custom <code>fetch</code> function. If omitted, the global <code>fetch</code> is used.</td></tr><tr><td><a id="property-headers"></a> <code>headers?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>string</code>&gt;&gt;</td><td>Headers for every request, such as an API key.</td></tr><tr><td><a id="property-maxmessagechars"></a> <code>maxMessageChars?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum length of a JSON body or an event, in characters. Messages beyond this length are rejected with code <code>protocol_error</code>. <strong>Default</strong> <code>{10_485_760}</code></td></tr><tr><td><a id="property-maxretries"></a> <code>maxRetries?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of consecutive attempts to resume an interrupted event stream. <strong>Default</strong> <code>{10}</code></td></tr><tr><td><a id="property-retryms"></a> <code>retryMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Delay before the first attempt to resume an event stream, in milliseconds. The delay increases with each attempt. A delay requested by the server takes precedence. <strong>Default</strong> <code>{1000}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/client/interfaces/HttpTransportOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const HttpTransportOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  HttpTransportOptions as default
};
