import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RecordStepsOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/journal/interfaces/RecordStepsOptions.md","filePath":"api/runtime/journal/interfaces/RecordStepsOptions.md"}');
const _sfc_main = { name: "api/runtime/journal/interfaces/RecordStepsOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-recordstepsoptions" tabindex="-1">Interface: RecordStepsOptions <a class="header-anchor" href="#interface-recordstepsoptions" aria-label="Permalink to &quot;Interface: RecordStepsOptions&quot;">​</a></h1><p>Options for <a href="./../functions/recordSteps"><code>recordSteps</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-now"></a> <code>now?</code></td><td><code>readonly</code></td><td>() =&gt; <code>number</code></td><td>Returns the current time, in milliseconds since the Unix epoch. If omitted, <code>Date.now</code> is used.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/journal/interfaces/RecordStepsOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RecordStepsOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RecordStepsOptions as default
};
