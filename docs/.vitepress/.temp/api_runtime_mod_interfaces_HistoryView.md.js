import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: HistoryView","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/HistoryView.md","filePath":"api/runtime/mod/interfaces/HistoryView.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/HistoryView.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-historyview" tabindex="-1">Interface: HistoryView <a class="header-anchor" href="#interface-historyview" aria-label="Permalink to &quot;Interface: HistoryView&quot;">​</a></h1><p>A shorter view of a transcript for the model. The model receives the system message, the messages in <code>head</code>, and the messages of the transcript from index <code>from</code>. The transcript itself does not change.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-from"></a> <code>from</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Index of the first message of the transcript to send. The system message is always sent.</td></tr><tr><td><a id="property-head"></a> <code>head</code></td><td><code>readonly</code></td><td>readonly <a href="./../type-aliases/ModelMessage"><code>ModelMessage</code></a>[]</td><td>Messages that replace the beginning of the transcript, for example a summary. A leading system message is dropped, because <code>systemPrompt</code> provides the system message.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/HistoryView.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const HistoryView = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  HistoryView as default
};
