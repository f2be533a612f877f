import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: LoopEventTime","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/LoopEventTime.md","filePath":"api/runtime/mod/interfaces/LoopEventTime.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/LoopEventTime.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-loopeventtime" tabindex="-1">Interface: LoopEventTime <a class="header-anchor" href="#interface-loopeventtime" aria-label="Permalink to &quot;Interface: LoopEventTime&quot;">​</a></h1><p>The time at which an event was emitted.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-at"></a> <code>at</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time from the option <code>now</code>, in milliseconds since the Unix epoch.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/LoopEventTime.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const LoopEventTime = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  LoopEventTime as default
};
