import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: UiTurn","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/ui/ag_ui/interfaces/UiTurn.md","filePath":"api/runtime/ui/ag_ui/interfaces/UiTurn.md"}');
const _sfc_main = { name: "api/runtime/ui/ag_ui/interfaces/UiTurn.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-uiturn" tabindex="-1">Interface: UiTurn <a class="header-anchor" href="#interface-uiturn" aria-label="Permalink to &quot;Interface: UiTurn&quot;">​</a></h1><p>Input from a front end for one run.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./AgUiInput"><code>AgUiInput</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-decisions"></a> <code>decisions</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <a href="./../../../mod/type-aliases/ApprovalDecision"><code>ApprovalDecision</code></a>&gt;&gt;</td><td>Decisions on deferred approvals, by key, for the option <code>decisions</code> of a run. If an agent without an <code>approvalHandler</code> receives decisions, even an empty object, the user is asked to approve every tool call. To execute all calls without asking, set <code>approvalHandler</code> to <code>autoApprove</code>.</td></tr><tr><td><a id="property-threadid"></a> <code>threadId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the conversation, for example for <code>AgentSession</code>. The id is chosen by the client, so the application must check that the user has access to the conversation.</td></tr><tr><td><a id="property-turn"></a> <code>turn?</code></td><td><code>readonly</code></td><td><a href="./../../../mod/type-aliases/UserTurn"><code>UserTurn</code></a></td><td>Message from the user. Absent if the request contains only decisions.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/ui/ag_ui/interfaces/UiTurn.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const UiTurn = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  UiTurn as default
};
