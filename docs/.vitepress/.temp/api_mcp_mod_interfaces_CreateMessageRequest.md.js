import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: CreateMessageRequest","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/mod/interfaces/CreateMessageRequest.md","filePath":"api/mcp/mod/interfaces/CreateMessageRequest.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/CreateMessageRequest.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-createmessagerequest" tabindex="-1">Interface: CreateMessageRequest <a class="header-anchor" href="#interface-createmessagerequest" aria-label="Permalink to &quot;Interface: CreateMessageRequest&quot;">​</a></h1><p>A request for a message from the client&#39;s model.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-method"></a> <code>method</code></td><td><code>readonly</code></td><td><code>&quot;sampling/createMessage&quot;</code></td><td>Request method.</td></tr><tr><td><a id="property-params"></a> <code>params</code></td><td><code>readonly</code></td><td><a href="./../../protocol/interfaces/CreateMessageParams"><code>CreateMessageParams</code></a></td><td>Conversation and model settings.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/CreateMessageRequest.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const CreateMessageRequest = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  CreateMessageRequest as default
};
