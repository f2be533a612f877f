import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: AgentMcpToolOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/bridge/interfaces/AgentMcpToolOptions.md","filePath":"api/runtime/bridge/interfaces/AgentMcpToolOptions.md"}');
const _sfc_main = { name: "api/runtime/bridge/interfaces/AgentMcpToolOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-agentmcptooloptions" tabindex="-1">Interface: AgentMcpToolOptions <a class="header-anchor" href="#interface-agentmcptooloptions" aria-label="Permalink to &quot;Interface: AgentMcpToolOptions&quot;">​</a></h1><p>Options for <a href="./../functions/agentMcpTool"><code>agentMcpTool</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-description"></a> <code>description</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Description of the tool for the client&#39;s model.</td></tr><tr><td><a id="property-make"></a> <code>make</code></td><td><code>readonly</code></td><td>() =&gt; | <a href="./../../mod/classes/ToolLoopAgent"><code>ToolLoopAgent</code></a>&lt;<a href="./../../mod/type-aliases/Schema"><code>Schema</code></a>, readonly <a href="./../../mod/type-aliases/Schema"><code>Schema</code></a>[]&gt; | <code>Promise</code>&lt;<a href="./../../mod/classes/ToolLoopAgent"><code>ToolLoopAgent</code></a>&lt;<a href="./../../mod/type-aliases/Schema"><code>Schema</code></a>, readonly <a href="./../../mod/type-aliases/Schema"><code>Schema</code></a>[]&gt;&gt;</td><td>Creates the agent. Called for each tool call; the agent is terminated when the call ends.</td></tr><tr><td><a id="property-name"></a> <code>name</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the tool.</td></tr><tr><td><a id="property-outputschema"></a> <code>outputSchema?</code></td><td><code>readonly</code></td><td><a href="./../../mod/type-aliases/JsonObject"><code>JsonObject</code></a></td><td>JSON Schema of the answer, which must describe an object. The answer becomes the structured content of the result. If omitted, the result is the agent&#39;s final text.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/bridge/interfaces/AgentMcpToolOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const AgentMcpToolOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  AgentMcpToolOptions as default
};
