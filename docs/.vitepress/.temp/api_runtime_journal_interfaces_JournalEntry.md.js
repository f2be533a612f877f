import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: JournalEntry","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/journal/interfaces/JournalEntry.md","filePath":"api/runtime/journal/interfaces/JournalEntry.md"}');
const _sfc_main = { name: "api/runtime/journal/interfaces/JournalEntry.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-journalentry" tabindex="-1">Interface: JournalEntry <a class="header-anchor" href="#interface-journalentry" aria-label="Permalink to &quot;Interface: JournalEntry&quot;">​</a></h1><p>A recorded step.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-at"></a> <code>at?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time at which the step was recorded, in milliseconds since the Unix epoch. The time does not affect a resumed run. Entries that were written by other programs may contain no time.</td></tr><tr><td><a id="property-key"></a> <code>key</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Key of the step.</td></tr><tr><td><a id="property-kind"></a> <code>kind</code></td><td><code>readonly</code></td><td><a href="./../../mod/type-aliases/StepKind"><code>StepKind</code></a></td><td>Kind of step.</td></tr><tr><td><a id="property-v"></a> <code>v</code></td><td><code>readonly</code></td><td><code>1</code></td><td>Version of the entry format.</td></tr><tr><td><a id="property-value"></a> <code>value</code></td><td><code>readonly</code></td><td><a href="./../../mod/type-aliases/JsonValue"><code>JsonValue</code></a></td><td>Value that the step returned.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/journal/interfaces/JournalEntry.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const JournalEntry = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  JournalEntry as default
};
