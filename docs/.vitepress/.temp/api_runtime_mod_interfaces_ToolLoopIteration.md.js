import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ToolLoopIteration","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/ToolLoopIteration.md","filePath":"api/runtime/mod/interfaces/ToolLoopIteration.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/ToolLoopIteration.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-toolloopiteration" tabindex="-1">Interface: ToolLoopIteration <a class="header-anchor" href="#interface-toolloopiteration" aria-label="Permalink to &quot;Interface: ToolLoopIteration&quot;">​</a></h1><p>One model call and the tool calls that the model requested.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-assistantmessage"></a> <code>assistantMessage</code></td><td><code>readonly</code></td><td><a href="./AssistantMessage"><code>AssistantMessage</code></a></td><td>The model&#39;s response.</td></tr><tr><td><a id="property-index"></a> <code>index</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Index of the iteration, starting at 0.</td></tr><tr><td><a id="property-toolcalls"></a> <code>toolCalls</code></td><td><code>readonly</code></td><td>readonly <a href="./ToolCall"><code>ToolCall</code></a>[]</td><td>Tool calls in the response, in order. Empty if the response requests none.</td></tr><tr><td><a id="property-toolresults"></a> <code>toolResults</code></td><td><code>readonly</code></td><td>readonly <a href="./ToolResult"><code>ToolResult</code></a>[]</td><td>Results of the tool calls, one per call, in call order.</td></tr><tr><td><a id="property-usage"></a> <code>usage</code></td><td><code>readonly</code></td><td><a href="./TokenUsage"><code>TokenUsage</code></a></td><td>Tokens used by the model call in this iteration, not including sub-agents.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/ToolLoopIteration.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ToolLoopIteration = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ToolLoopIteration as default
};
