import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: UiMessageMetadata","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/ui/ai_sdk/interfaces/UiMessageMetadata.md","filePath":"api/runtime/ui/ai_sdk/interfaces/UiMessageMetadata.md"}');
const _sfc_main = { name: "api/runtime/ui/ai_sdk/interfaces/UiMessageMetadata.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-uimessagemetadata" tabindex="-1">Interface: UiMessageMetadata <a class="header-anchor" href="#interface-uimessagemetadata" aria-label="Permalink to &quot;Interface: UiMessageMetadata&quot;">​</a></h1><p>Metadata of a finished run&#39;s assistant message, in <code>message.metadata</code> of the AI SDK.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-stopreason"></a> <code>stopReason</code></td><td><code>readonly</code></td><td><a href="./../../../mod/type-aliases/AgentStopReason"><code>AgentStopReason</code></a></td><td>Why the run ended.</td></tr><tr><td><a id="property-usage"></a> <code>usage</code></td><td><code>readonly</code></td><td><a href="./../../../mod/interfaces/TokenUsage"><code>TokenUsage</code></a></td><td>Tokens used by the run, including its sub-agents.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/ui/ai_sdk/interfaces/UiMessageMetadata.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const UiMessageMetadata = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  UiMessageMetadata as default
};
