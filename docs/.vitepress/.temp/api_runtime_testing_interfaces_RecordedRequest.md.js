import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RecordedRequest","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/testing/interfaces/RecordedRequest.md","filePath":"api/runtime/testing/interfaces/RecordedRequest.md"}');
const _sfc_main = { name: "api/runtime/testing/interfaces/RecordedRequest.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-recordedrequest" tabindex="-1">Interface: RecordedRequest <a class="header-anchor" href="#interface-recordedrequest" aria-label="Permalink to &quot;Interface: RecordedRequest&quot;">​</a></h1><p>A recorded request.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-messages"></a> <code>messages</code></td><td><code>readonly</code></td><td>readonly <a href="./../../mod/type-aliases/ModelMessage"><code>ModelMessage</code></a>[]</td><td>Copy of the request&#39;s message array.</td></tr><tr><td><a id="property-options"></a> <code>options</code></td><td><code>readonly</code></td><td><a href="./../../mod/interfaces/GenerationOptions"><code>GenerationOptions</code></a></td><td>Settings of the request.</td></tr><tr><td><a id="property-tools"></a> <code>tools</code></td><td><code>readonly</code></td><td>readonly <a href="./../../mod/interfaces/ToolDefinition"><code>ToolDefinition</code></a>[]</td><td>Tools of the request.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/testing/interfaces/RecordedRequest.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RecordedRequest = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RecordedRequest as default
};
