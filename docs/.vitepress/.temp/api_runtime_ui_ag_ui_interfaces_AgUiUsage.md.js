import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: AgUiUsage","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/ui/ag_ui/interfaces/AgUiUsage.md","filePath":"api/runtime/ui/ag_ui/interfaces/AgUiUsage.md"}');
const _sfc_main = { name: "api/runtime/ui/ag_ui/interfaces/AgUiUsage.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-aguiusage" tabindex="-1">Interface: AgUiUsage <a class="header-anchor" href="#interface-aguiusage" aria-label="Permalink to &quot;Interface: AgUiUsage&quot;">​</a></h1><p>Token counts in AG-UI.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-cachedinputtokens"></a> <code>cachedInputTokens?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of input tokens read from the provider&#39;s cache.</td></tr><tr><td><a id="property-cachewriteinputtokens"></a> <code>cacheWriteInputTokens?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of input tokens written to the provider&#39;s cache.</td></tr><tr><td><a id="property-inputtokens"></a> <code>inputTokens</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of tokens in the prompts.</td></tr><tr><td><a id="property-model"></a> <code>model?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the model. Name of the model. Absent if sub-agents were used.</td></tr><tr><td><a id="property-outputtokens"></a> <code>outputTokens</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of tokens in the responses.</td></tr><tr><td><a id="property-provider"></a> <code>provider?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the model provider.</td></tr><tr><td><a id="property-reasoningtokens"></a> <code>reasoningTokens?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of output tokens used for reasoning.</td></tr><tr><td><a id="property-totaltokens"></a> <code>totalTokens</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Total number of tokens.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/ui/ag_ui/interfaces/AgUiUsage.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const AgUiUsage = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  AgUiUsage as default
};
