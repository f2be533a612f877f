import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: SamplingMessage","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/SamplingMessage.md","filePath":"api/mcp/protocol/interfaces/SamplingMessage.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/SamplingMessage.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-samplingmessage" tabindex="-1">Interface: SamplingMessage <a class="header-anchor" href="#interface-samplingmessage" aria-label="Permalink to &quot;Interface: SamplingMessage&quot;">​</a></h1><p>A message in a conversation with the client&#39;s model.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./../../mod/interfaces/CreateMessageResult"><code>CreateMessageResult</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-content"></a> <code>content</code></td><td><code>readonly</code></td><td>| <a href="./../type-aliases/SamplingContent"><code>SamplingContent</code></a> | readonly <a href="./../type-aliases/SamplingContent"><code>SamplingContent</code></a>[]</td><td>Content of the message.</td></tr><tr><td><a id="property-role"></a> <code>role</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/Role"><code>Role</code></a></td><td>Author of the message.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/SamplingMessage.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const SamplingMessage = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  SamplingMessage as default
};
