import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: TokenUsage","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/TokenUsage.md","filePath":"api/runtime/mod/interfaces/TokenUsage.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/TokenUsage.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-tokenusage" tabindex="-1">Interface: TokenUsage <a class="header-anchor" href="#interface-tokenusage" aria-label="Permalink to &quot;Interface: TokenUsage&quot;">​</a></h1><p>Number of tokens used by one or more model calls.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-cachedinputtokens"></a> <code>cachedInputTokens?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of input tokens read from the provider&#39;s cache, included in <code>inputTokens</code>.</td></tr><tr><td><a id="property-cachewritetokens"></a> <code>cacheWriteTokens?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of input tokens written to the provider&#39;s cache, included in <code>inputTokens</code>.</td></tr><tr><td><a id="property-estimated"></a> <code>estimated?</code></td><td><code>readonly</code></td><td><code>true</code></td><td>Present if the provider did not report the complete usage of at least one model call. If <code>estimated</code> is set, the counts are estimates or too low.</td></tr><tr><td><a id="property-inputtokens"></a> <code>inputTokens</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of tokens in the prompt, including cached tokens.</td></tr><tr><td><a id="property-outputtokens"></a> <code>outputTokens</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of tokens in the response, including reasoning.</td></tr><tr><td><a id="property-reasoningtokens"></a> <code>reasoningTokens?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of output tokens used for reasoning, included in <code>outputTokens</code>.</td></tr><tr><td><a id="property-totaltokens"></a> <code>totalTokens</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Total number of tokens as reported by the provider, usually the sum of input and output.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/TokenUsage.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const TokenUsage = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  TokenUsage as default
};
