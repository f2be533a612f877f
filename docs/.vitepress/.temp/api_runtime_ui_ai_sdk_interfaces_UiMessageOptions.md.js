import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: UiMessageOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/ui/ai_sdk/interfaces/UiMessageOptions.md","filePath":"api/runtime/ui/ai_sdk/interfaces/UiMessageOptions.md"}');
const _sfc_main = { name: "api/runtime/ui/ai_sdk/interfaces/UiMessageOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-uimessageoptions" tabindex="-1">Interface: UiMessageOptions <a class="header-anchor" href="#interface-uimessageoptions" aria-label="Permalink to &quot;Interface: UiMessageOptions&quot;">​</a></h1><p>Options for a UI message stream, in addition to the options that all front ends share.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-sendrecorded"></a> <code>sendRecorded?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether to send iterations that a resumed run reads from its journal. By default, only the tool calls with which the run continues are sent, because a page that has decided on an approval already shows the rest of the message. Set <code>sendRecorded</code> if the page starts a new message, for example after a reload or a restart of the server. A page starts a new message if the request contains a turn: <code>sendRecorded: turn !== undefined</code>. <strong>Default</strong> <code>{false}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/ui/ai_sdk/interfaces/UiMessageOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const UiMessageOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  UiMessageOptions as default
};
