import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ScriptedCall","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/testing/interfaces/ScriptedCall.md","filePath":"api/runtime/testing/interfaces/ScriptedCall.md"}');
const _sfc_main = { name: "api/runtime/testing/interfaces/ScriptedCall.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-scriptedcall" tabindex="-1">Interface: ScriptedCall <a class="header-anchor" href="#interface-scriptedcall" aria-label="Permalink to &quot;Interface: ScriptedCall&quot;">​</a></h1><p>A tool call in a scripted response.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-input"></a> <code>input?</code></td><td><code>readonly</code></td><td><code>unknown</code></td><td>Input of the call. Defaults to an empty object.</td></tr><tr><td><a id="property-rawinput"></a> <code>rawInput?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Input text that is not valid JSON, used in place of <code>input</code>.</td></tr><tr><td><a id="property-toolcallid"></a> <code>toolCallId?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the call. Defaults to <code>call_&lt;turn&gt;_&lt;position&gt;</code>.</td></tr><tr><td><a id="property-toolname"></a> <code>toolName</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the tool.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/testing/interfaces/ScriptedCall.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ScriptedCall = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ScriptedCall as default
};
