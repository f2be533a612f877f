import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ToolCallOrigin","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/ToolCallOrigin.md","filePath":"api/runtime/mod/interfaces/ToolCallOrigin.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/ToolCallOrigin.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-toolcallorigin" tabindex="-1">Interface: ToolCallOrigin <a class="header-anchor" href="#interface-toolcallorigin" aria-label="Permalink to &quot;Interface: ToolCallOrigin&quot;">​</a></h1><p>The agent and the run that a tool call belongs to.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./ApprovalRequest"><code>ApprovalRequest</code></a></li><li><a href="./RepairRequest"><code>RepairRequest</code></a></li><li><a href="./ToolContext"><code>ToolContext</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-agentdid"></a> <code>agentDid?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>DID of the agent.</td></tr><tr><td><a id="property-agentname"></a> <code>agentName</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the agent that executes the tool.</td></tr><tr><td><a id="property-iteration"></a> <code>iteration</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Index of the iteration, starting at 0.</td></tr><tr><td><a id="property-messages"></a> <code>messages</code></td><td><code>readonly</code></td><td>readonly <a href="./../type-aliases/ModelMessage"><code>ModelMessage</code></a>[]</td><td>Copy of the conversation up to the response that requests the call. The copy is valid as model input.</td></tr><tr><td><a id="property-path"></a> <code>path</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Agent names, from the outermost agent to this agent.</td></tr><tr><td><a id="property-runid"></a> <code>runId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the run.</td></tr><tr><td><a id="property-signal"></a> <code>signal</code></td><td><code>readonly</code></td><td><code>AbortSignal</code></td><td>Aborted when the run ends early or the tool times out.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/ToolCallOrigin.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ToolCallOrigin = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ToolCallOrigin as default
};
