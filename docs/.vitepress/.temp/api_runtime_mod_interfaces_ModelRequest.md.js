import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ModelRequest","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/ModelRequest.md","filePath":"api/runtime/mod/interfaces/ModelRequest.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/ModelRequest.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-modelrequest" tabindex="-1">Interface: ModelRequest <a class="header-anchor" href="#interface-modelrequest" aria-label="Permalink to &quot;Interface: ModelRequest&quot;">​</a></h1><p>A request to a model.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-messages"></a> <code>messages</code></td><td><code>readonly</code></td><td>readonly <a href="./../type-aliases/ModelMessage"><code>ModelMessage</code></a>[]</td><td>The whole conversation, or the messages that a history view or <code>prepareIteration</code> has selected. The array may grow during the run, so a model that stores the conversation must copy the array.</td></tr><tr><td><a id="property-options"></a> <code>options</code></td><td><code>readonly</code></td><td><a href="./GenerationOptions"><code>GenerationOptions</code></a></td><td>Settings for the call.</td></tr><tr><td><a id="property-signal"></a> <code>signal?</code></td><td><code>readonly</code></td><td><code>AbortSignal</code></td><td>Aborted when the response is no longer needed.</td></tr><tr><td><a id="property-tools"></a> <code>tools</code></td><td><code>readonly</code></td><td>readonly <a href="./ToolDefinition"><code>ToolDefinition</code></a>[]</td><td>Tools that the model may call. Every request in a run contains the same array until the tool registry changes, unless <code>prepareIteration</code> selects the tools.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/ModelRequest.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ModelRequest = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ModelRequest as default
};
