import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PendingApproval","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/PendingApproval.md","filePath":"api/runtime/mod/interfaces/PendingApproval.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/PendingApproval.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-pendingapproval" tabindex="-1">Interface: PendingApproval <a class="header-anchor" href="#interface-pendingapproval" aria-label="Permalink to &quot;Interface: PendingApproval&quot;">​</a></h1><p>A tool call that is waiting for an approval decision. Plain data that can be displayed and stored.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-key"></a> <code>key</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Key for the decision in <code>decisions</code> when the run is resumed. The key is unique within the run, including its sub-agents, and contains a digest of the tool&#39;s name and the input. If the resumed run requests a different call, the key does not match, and the decision is not used.</td></tr><tr><td><a id="property-path"></a> <code>path</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Agent names, from the outermost agent to the agent that requests the approval.</td></tr><tr><td><a id="property-reason"></a> <code>reason</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/ApprovalReason"><code>ApprovalReason</code></a></td><td>Why the decision is needed.</td></tr><tr><td><a id="property-toolcall"></a> <code>toolCall</code></td><td><code>readonly</code></td><td><a href="./ToolCall"><code>ToolCall</code></a></td><td>The tool call.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/PendingApproval.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PendingApproval = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PendingApproval as default
};
