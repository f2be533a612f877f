import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RecordModelOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/testing/interfaces/RecordModelOptions.md","filePath":"api/runtime/testing/interfaces/RecordModelOptions.md"}');
const _sfc_main = { name: "api/runtime/testing/interfaces/RecordModelOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-recordmodeloptions" tabindex="-1">Interface: RecordModelOptions <a class="header-anchor" href="#interface-recordmodeloptions" aria-label="Permalink to &quot;Interface: RecordModelOptions&quot;">​</a></h1><p>Options for <a href="./../functions/recordModel"><code>recordModel</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-maxchars"></a> <code>maxChars?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum total length of the recorded turns as JSON, in characters. A call whose turn exceeds this limit rejects. <strong>Default</strong> <code>{67108864}</code></td></tr><tr><td><a id="property-maxturns"></a> <code>maxTurns?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of model calls. Further calls reject. <strong>Default</strong> <code>{1000}</code></td></tr><tr><td><a id="property-redact"></a> <code>redact?</code></td><td><code>readonly</code></td><td>(<code>turn</code>) =&gt; <a href="./../type-aliases/RecordedTurn"><code>RecordedTurn</code></a></td><td>Called with each turn before it is stored. Returns the turn to store, for example without personal data.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/testing/interfaces/RecordModelOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RecordModelOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RecordModelOptions as default
};
