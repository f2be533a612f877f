import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"@parley/runtime/models","description":"","frontmatter":{},"headers":[{"level":2,"title":"Interfaces","slug":"interfaces","link":"#interfaces","children":[]},{"level":2,"title":"Type Aliases","slug":"type-aliases","link":"#type-aliases","children":[]},{"level":2,"title":"Functions","slug":"functions","link":"#functions","children":[]}],"relativePath":"api/runtime/models/index.md","filePath":"api/runtime/models/index.md"}');
const _sfc_main = { name: "api/runtime/models/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="parley-runtime-models" tabindex="-1">@parley/runtime/models <a class="header-anchor" href="#parley-runtime-models" aria-label="Permalink to &quot;@parley/runtime/models&quot;">​</a></h1><p>Adapters for language models. The adapters require only <code>fetch</code>.</p><ul><li><a href="./functions/openAiChat"><code>openAiChat</code></a>: any local or hosted server that implements the OpenAI Chat Completions API</li><li><a href="./functions/anthropicMessages"><code>anthropicMessages</code></a>: the Anthropic Messages API</li><li><a href="./functions/fromAiSdk"><code>fromAiSdk</code></a>: models from AI SDK provider packages</li></ul><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/AiSdkModel">AiSdkModel</a></li><li><a href="./interfaces/AnthropicMessagesOptions">AnthropicMessagesOptions</a></li><li><a href="./interfaces/EndpointOptions">EndpointOptions</a></li><li><a href="./interfaces/OpenAiChatOptions">OpenAiChatOptions</a></li></ul><h2 id="type-aliases" tabindex="-1">Type Aliases <a class="header-anchor" href="#type-aliases" aria-label="Permalink to &quot;Type Aliases&quot;">​</a></h2><ul><li><a href="./type-aliases/Fetch">Fetch</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/anthropicMessages">anthropicMessages</a></li><li><a href="./functions/fromAiSdk">fromAiSdk</a></li><li><a href="./functions/openAiChat">openAiChat</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/models/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
