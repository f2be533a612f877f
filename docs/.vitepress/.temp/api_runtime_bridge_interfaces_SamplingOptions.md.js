import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: SamplingOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/bridge/interfaces/SamplingOptions.md","filePath":"api/runtime/bridge/interfaces/SamplingOptions.md"}');
const _sfc_main = { name: "api/runtime/bridge/interfaces/SamplingOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-samplingoptions" tabindex="-1">Interface: SamplingOptions <a class="header-anchor" href="#interface-samplingoptions" aria-label="Permalink to &quot;Interface: SamplingOptions&quot;">​</a></h1><p>Options for <a href="./../functions/samplingFrom"><code>samplingFrom</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-approve"></a> <code>approve</code></td><td><code>readonly</code></td><td>(<code>params</code>) =&gt; <code>boolean</code> | <code>Promise</code>&lt;<code>boolean</code>&gt;</td><td>Called with the parameters of every request. A user should review the request. The model is called only if the function returns <code>true</code>.</td></tr><tr><td><a id="property-maxtokens"></a> <code>maxTokens?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum length of a response, in tokens. A request for more tokens is limited to this number. <strong>Default</strong> <code>{4096}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/bridge/interfaces/SamplingOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const SamplingOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  SamplingOptions as default
};
