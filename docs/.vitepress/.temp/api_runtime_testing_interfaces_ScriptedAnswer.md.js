import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ScriptedAnswer","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/testing/interfaces/ScriptedAnswer.md","filePath":"api/runtime/testing/interfaces/ScriptedAnswer.md"}');
const _sfc_main = { name: "api/runtime/testing/interfaces/ScriptedAnswer.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-scriptedanswer" tabindex="-1">Interface: ScriptedAnswer <a class="header-anchor" href="#interface-scriptedanswer" aria-label="Permalink to &quot;Interface: ScriptedAnswer&quot;">​</a></h1><p>A scripted response.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-calls"></a> <code>calls?</code></td><td><code>readonly</code></td><td>readonly <a href="./ScriptedCall"><code>ScriptedCall</code></a>[]</td><td>Tool calls to put after the text.</td></tr><tr><td><a id="property-content"></a> <code>content?</code></td><td><code>readonly</code></td><td>( | <a href="./../../mod/interfaces/ToolCall"><code>ToolCall</code></a> | <a href="./../../mod/interfaces/TextPart"><code>TextPart</code></a> | <a href="./../../mod/interfaces/FilePart"><code>FilePart</code></a> | <a href="./../../mod/interfaces/ReasoningPart"><code>ReasoningPart</code></a>)[]</td><td>The complete content, used instead of <code>text</code> and <code>calls</code>.</td></tr><tr><td><a id="property-finishreason"></a> <code>finishReason?</code></td><td><code>readonly</code></td><td>| <code>&quot;error&quot;</code> | <code>&quot;stop&quot;</code> | <code>&quot;tool-calls&quot;</code> | <code>&quot;length&quot;</code> | <code>&quot;content-filter&quot;</code> | <code>&quot;interrupted&quot;</code> | <code>&quot;other&quot;</code></td><td>Finish reason. Defaults to <code>&quot;tool-calls&quot;</code> if the response contains tool calls, otherwise to <code>&quot;stop&quot;</code>.</td></tr><tr><td><a id="property-text"></a> <code>text?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Text to put at the start of the content.</td></tr><tr><td><a id="property-usage"></a> <code>usage?</code></td><td><code>readonly</code></td><td><a href="./../../mod/interfaces/TokenUsage"><code>TokenUsage</code></a> | <code>null</code></td><td>Token usage. Defaults to one input token and one output token. If <code>null</code>, the response reports no usage.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/testing/interfaces/ScriptedAnswer.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ScriptedAnswer = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ScriptedAnswer as default
};
