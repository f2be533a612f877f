import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ModelResponse","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/ModelResponse.md","filePath":"api/runtime/mod/interfaces/ModelResponse.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/ModelResponse.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-modelresponse" tabindex="-1">Interface: ModelResponse <a class="header-anchor" href="#interface-modelresponse" aria-label="Permalink to &quot;Interface: ModelResponse&quot;">​</a></h1><p>A model&#39;s response. The loop treats the response as untrusted input and validates it.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-finishreason"></a> <code>finishReason</code></td><td><code>readonly</code></td><td>| <code>&quot;error&quot;</code> | <code>&quot;stop&quot;</code> | <code>&quot;tool-calls&quot;</code> | <code>&quot;length&quot;</code> | <code>&quot;content-filter&quot;</code> | <code>&quot;interrupted&quot;</code> | <code>&quot;other&quot;</code></td><td>Why the model finished the response.</td></tr><tr><td><a id="property-message"></a> <code>message</code></td><td><code>readonly</code></td><td><a href="./AssistantMessage"><code>AssistantMessage</code></a></td><td>The model&#39;s message.</td></tr><tr><td><a id="property-modelid"></a> <code>modelId?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the model that generated the response, as reported by the provider.</td></tr><tr><td><a id="property-rawfinishreason"></a> <code>rawFinishReason?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Finish reason as spelled by the provider.</td></tr><tr><td><a id="property-responseid"></a> <code>responseId?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the response, assigned by the provider.</td></tr><tr><td><a id="property-usage"></a> <code>usage?</code></td><td><code>readonly</code></td><td><a href="./TokenUsage"><code>TokenUsage</code></a></td><td>Token usage. Absent if the provider reports no usage.</td></tr><tr><td><a id="property-warnings"></a> <code>warnings?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Warnings, for example about unsupported settings.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/ModelResponse.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ModelResponse = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ModelResponse as default
};
