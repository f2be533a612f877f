import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: UiAgentData","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/ui/ai_sdk/interfaces/UiAgentData.md","filePath":"api/runtime/ui/ai_sdk/interfaces/UiAgentData.md"}');
const _sfc_main = { name: "api/runtime/ui/ai_sdk/interfaces/UiAgentData.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-uiagentdata" tabindex="-1">Interface: UiAgentData <a class="header-anchor" href="#interface-uiagentdata" aria-label="Permalink to &quot;Interface: UiAgentData&quot;">​</a></h1><p>Progress of a sub-agent: the data of a <code>data-agent</code> chunk.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-chunk"></a> <code>chunk</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/UiMessageChunk"><code>UiMessageChunk</code></a></td><td>Chunk of the sub-agent&#39;s own message.</td></tr><tr><td><a id="property-path"></a> <code>path</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Agent names from the outermost agent to the sub-agent.</td></tr><tr><td><a id="property-runid"></a> <code>runId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the sub-agent&#39;s run.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/ui/ai_sdk/interfaces/UiAgentData.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const UiAgentData = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  UiAgentData as default
};
