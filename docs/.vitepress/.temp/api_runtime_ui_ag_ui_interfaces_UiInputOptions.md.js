import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: UiInputOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/ui/ag_ui/interfaces/UiInputOptions.md","filePath":"api/runtime/ui/ag_ui/interfaces/UiInputOptions.md"}');
const _sfc_main = { name: "api/runtime/ui/ag_ui/interfaces/UiInputOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-uiinputoptions" tabindex="-1">Interface: UiInputOptions <a class="header-anchor" href="#interface-uiinputoptions" aria-label="Permalink to &quot;Interface: UiInputOptions&quot;">​</a></h1><p>Limits on the input from a front end.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-maxdecisions"></a> <code>maxDecisions?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of decisions on approvals; a positive integer. <strong>Default</strong> <code>{128}</code></td></tr><tr><td><a id="property-maxfilechars"></a> <code>maxFileChars?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum total length of the files in the user&#39;s message, in base64 characters; a positive integer. <strong>Default</strong> <code>{16_777_216}</code></td></tr><tr><td><a id="property-maxparts"></a> <code>maxParts?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of parts in the user&#39;s message; a positive integer. <strong>Default</strong> <code>{100}</code></td></tr><tr><td><a id="property-maxtextchars"></a> <code>maxTextChars?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum total length of the texts in the user&#39;s message, in UTF-16 code units; a positive integer. <strong>Default</strong> <code>{1_000_000}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/ui/ag_ui/interfaces/UiInputOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const UiInputOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  UiInputOptions as default
};
