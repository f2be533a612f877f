import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ChannelPairOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/mod/interfaces/ChannelPairOptions.md","filePath":"api/comm/mod/interfaces/ChannelPairOptions.md"}');
const _sfc_main = { name: "api/comm/mod/interfaces/ChannelPairOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-channelpairoptions" tabindex="-1">Interface: ChannelPairOptions <a class="header-anchor" href="#interface-channelpairoptions" aria-label="Permalink to &quot;Interface: ChannelPairOptions&quot;">​</a></h1><p>Options for <a href="./../functions/createChannelPair"><code>createChannelPair</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-capacity"></a> <code>capacity?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of queued messages in each direction. Messages are not serialized, so there is no limit in bytes: both ends belong to the same program. <strong>Default</strong> <code>{1000}</code></td></tr><tr><td><a id="property-overflow"></a> <code>overflow?</code></td><td><code>readonly</code></td><td><code>&quot;wait&quot;</code> | <code>&quot;error&quot;</code></td><td>Behavior of <code>send</code> when the queue is full: <code>wait</code> applies backpressure, and <code>error</code> rejects with <code>capacity_exceeded</code>. <strong>Default</strong> <code>{&quot;wait&quot;}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/mod/interfaces/ChannelPairOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ChannelPairOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ChannelPairOptions as default
};
