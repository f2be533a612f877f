import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: CreateMessageResult","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extends","slug":"extends","link":"#extends","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/mod/interfaces/CreateMessageResult.md","filePath":"api/mcp/mod/interfaces/CreateMessageResult.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/CreateMessageResult.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-createmessageresult" tabindex="-1">Interface: CreateMessageResult <a class="header-anchor" href="#interface-createmessageresult" aria-label="Permalink to &quot;Interface: CreateMessageResult&quot;">​</a></h1><p>Result of <code>sampling/createMessage</code>.</p><h2 id="extends" tabindex="-1">Extends <a class="header-anchor" href="#extends" aria-label="Permalink to &quot;Extends&quot;">​</a></h2><ul><li><a href="./../../protocol/interfaces/SamplingMessage"><code>SamplingMessage</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th><th>Inherited from</th></tr></thead><tbody><tr><td><a id="property-content"></a> <code>content</code></td><td><code>readonly</code></td><td>| <a href="./../../protocol/type-aliases/SamplingContent"><code>SamplingContent</code></a> | readonly <a href="./../../protocol/type-aliases/SamplingContent"><code>SamplingContent</code></a>[]</td><td>Content of the message.</td><td><a href="./../../protocol/interfaces/SamplingMessage"><code>SamplingMessage</code></a>.<a href="./../../protocol/interfaces/SamplingMessage#property-content"><code>content</code></a></td></tr><tr><td><a id="property-model"></a> <code>model</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the model that generated the message.</td><td>-</td></tr><tr><td><a id="property-role"></a> <code>role</code></td><td><code>readonly</code></td><td><a href="./../../protocol/type-aliases/Role"><code>Role</code></a></td><td>Author of the message.</td><td><a href="./../../protocol/interfaces/SamplingMessage"><code>SamplingMessage</code></a>.<a href="./../../protocol/interfaces/SamplingMessage#property-role"><code>role</code></a></td></tr><tr><td><a id="property-stopreason"></a> <code>stopReason?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Reason generation stopped: <code>endTurn</code>, <code>stopSequence</code>, <code>maxTokens</code>, <code>toolUse</code> or a custom value.</td><td>-</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/CreateMessageResult.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const CreateMessageResult = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  CreateMessageResult as default
};
