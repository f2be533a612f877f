import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ToolCall","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/ToolCall.md","filePath":"api/runtime/mod/interfaces/ToolCall.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/ToolCall.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-toolcall" tabindex="-1">Interface: ToolCall <a class="header-anchor" href="#interface-toolcall" aria-label="Permalink to &quot;Interface: ToolCall&quot;">​</a></h1><p>A tool call that the model requests.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-input"></a> <code>input</code></td><td><code>readonly</code></td><td><code>unknown</code></td><td>Parsed input. If <code>rawInput</code> is present, <code>input</code> is <code>{}</code>.</td></tr><tr><td><a id="property-provideroptions"></a> <code>providerOptions?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/ProviderOptions"><code>ProviderOptions</code></a></td><td>Provider-specific data.</td></tr><tr><td><a id="property-rawinput"></a> <code>rawInput?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Input as the model wrote it. Present only if the input is not valid JSON. A call with <code>rawInput</code> is not executed.</td></tr><tr><td><a id="property-toolcallid"></a> <code>toolCallId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the call, unique within a conversation. The loop replaces missing and duplicate ids.</td></tr><tr><td><a id="property-toolname"></a> <code>toolName</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the tool as the model wrote it.</td></tr><tr><td><a id="property-type"></a> <code>type</code></td><td><code>readonly</code></td><td><code>&quot;tool-call&quot;</code></td><td>Type of the part.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/ToolCall.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ToolCall = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ToolCall as default
};
