import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: StreamOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/StreamOptions.md","filePath":"api/runtime/mod/interfaces/StreamOptions.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/StreamOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-streamoptions" tabindex="-1">Interface: StreamOptions <a class="header-anchor" href="#interface-streamoptions" aria-label="Permalink to &quot;Interface: StreamOptions&quot;">​</a></h1><p>Options for <a href="./../functions/streamToolLoop"><code>streamToolLoop</code></a> and <code>ToolLoopAgent.stream()</code>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-maxqueued"></a> <code>maxQueued?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of queued events; a positive integer. When the queue is full, the run waits for the reader. <strong>Default</strong> <code>{256}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/StreamOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const StreamOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  StreamOptions as default
};
