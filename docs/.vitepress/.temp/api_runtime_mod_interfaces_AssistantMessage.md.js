import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: AssistantMessage","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/AssistantMessage.md","filePath":"api/runtime/mod/interfaces/AssistantMessage.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/AssistantMessage.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-assistantmessage" tabindex="-1">Interface: AssistantMessage <a class="header-anchor" href="#interface-assistantmessage" aria-label="Permalink to &quot;Interface: AssistantMessage&quot;">​</a></h1><p>A response from the model.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-content"></a> <code>content</code></td><td><code>readonly</code></td><td>( | <a href="./ToolCall"><code>ToolCall</code></a> | <a href="./TextPart"><code>TextPart</code></a> | <a href="./FilePart"><code>FilePart</code></a> | <a href="./ReasoningPart"><code>ReasoningPart</code></a>)[]</td><td>Parts of the message.</td></tr><tr><td><a id="property-provideroptions"></a> <code>providerOptions?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/ProviderOptions"><code>ProviderOptions</code></a></td><td>Provider-specific data.</td></tr><tr><td><a id="property-role"></a> <code>role</code></td><td><code>readonly</code></td><td><code>&quot;assistant&quot;</code></td><td>Role of the author.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/AssistantMessage.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const AssistantMessage = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  AssistantMessage as default
};
