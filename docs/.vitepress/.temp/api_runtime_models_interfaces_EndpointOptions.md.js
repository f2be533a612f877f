import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: EndpointOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/models/interfaces/EndpointOptions.md","filePath":"api/runtime/models/interfaces/EndpointOptions.md"}');
const _sfc_main = { name: "api/runtime/models/interfaces/EndpointOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-endpointoptions" tabindex="-1">Interface: EndpointOptions <a class="header-anchor" href="#interface-endpointoptions" aria-label="Permalink to &quot;Interface: EndpointOptions&quot;">​</a></h1><p>Options for an endpoint.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./AnthropicMessagesOptions"><code>AnthropicMessagesOptions</code></a></li><li><a href="./OpenAiChatOptions"><code>OpenAiChatOptions</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-fetch"></a> <code>fetch?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/Fetch"><code>Fetch</code></a></td><td>Function that sends the requests. Defaults to the global <code>fetch</code>.</td></tr><tr><td><a id="property-headers"></a> <code>headers?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>string</code>&gt;&gt;</td><td>Headers to add to each request, for example for a gateway. Error messages never contain the values of the given headers.</td></tr><tr><td><a id="property-maxresponsebytes"></a> <code>maxResponseBytes?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum size of a response, in bytes. <strong>Default</strong> <code>{16_777_216}</code></td></tr><tr><td><a id="property-timeoutms"></a> <code>timeoutMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Timeout for a call, including the response body, in milliseconds. The maximum is 2147483647. <strong>Default</strong> <code>{600_000}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/models/interfaces/EndpointOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const EndpointOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  EndpointOptions as default
};
