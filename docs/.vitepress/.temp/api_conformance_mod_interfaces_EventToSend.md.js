import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: EventToSend","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/conformance/mod/interfaces/EventToSend.md","filePath":"api/conformance/mod/interfaces/EventToSend.md"}');
const _sfc_main = { name: "api/conformance/mod/interfaces/EventToSend.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-eventtosend" tabindex="-1">Interface: EventToSend <a class="header-anchor" href="#interface-eventtosend" aria-label="Permalink to &quot;Interface: EventToSend&quot;">​</a></h1><p>A server-sent event that the kit sends.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-data"></a> <code>data?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/JsonValue"><code>JsonValue</code></a></td><td>Event data. A string is sent unchanged; any other value is sent as JSON.</td></tr><tr><td><a id="property-event"></a> <code>event?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Event type.</td></tr><tr><td><a id="property-id"></a> <code>id?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Event id.</td></tr><tr><td><a id="property-retry"></a> <code>retry?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Reconnection time, in milliseconds.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/mod/interfaces/EventToSend.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const EventToSend = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  EventToSend as default
};
