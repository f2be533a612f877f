import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: TypedToolResult<Output>","description":"","frontmatter":{},"headers":[{"level":2,"title":"Type Parameters","slug":"type-parameters","link":"#type-parameters","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/TypedToolResult.md","filePath":"api/runtime/mod/interfaces/TypedToolResult.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/TypedToolResult.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-typedtoolresult-output" tabindex="-1">Interface: TypedToolResult&lt;Output&gt; <a class="header-anchor" href="#interface-typedtoolresult-output" aria-label="Permalink to &quot;Interface: TypedToolResult\\&lt;Output\\&gt;&quot;">​</a></h1><p>A successful result of a tool.</p><h2 id="type-parameters" tabindex="-1">Type Parameters <a class="header-anchor" href="#type-parameters" aria-label="Permalink to &quot;Type Parameters&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Type Parameter</th><th>Description</th></tr></thead><tbody><tr><td><a id="type-parameter-output"></a> <code>Output</code></td><td>Return type of the tool.</td></tr></tbody></table><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-iteration"></a> <code>iteration</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Index of the iteration in which the tool was called.</td></tr><tr><td><a id="property-output"></a> <code>output</code></td><td><code>readonly</code></td><td><code>Output</code></td><td>Value that the tool returned.</td></tr><tr><td><a id="property-toolcallid"></a> <code>toolCallId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the tool call.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/TypedToolResult.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const TypedToolResult = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  TypedToolResult as default
};
