import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ToTransportOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/queues/interfaces/ToTransportOptions.md","filePath":"api/comm/queues/interfaces/ToTransportOptions.md"}');
const _sfc_main = { name: "api/comm/queues/interfaces/ToTransportOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-totransportoptions" tabindex="-1">Interface: ToTransportOptions <a class="header-anchor" href="#interface-totransportoptions" aria-label="Permalink to &quot;Interface: ToTransportOptions&quot;">​</a></h1><p>Options for <a href="./../functions/toTransport"><code>toTransport</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-capacity"></a> <code>capacity?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of messages that wait for a call to <code>receive</code>. They are not acknowledged yet. <strong>Default</strong> <code>{8}</code></td></tr><tr><td><a id="property-inbox"></a> <code>inbox</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the inbox from which the transport receives.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/queues/interfaces/ToTransportOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ToTransportOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ToTransportOptions as default
};
