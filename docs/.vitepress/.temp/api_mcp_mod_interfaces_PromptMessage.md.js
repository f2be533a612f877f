import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PromptMessage","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/mod/interfaces/PromptMessage.md","filePath":"api/mcp/mod/interfaces/PromptMessage.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/PromptMessage.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-promptmessage" tabindex="-1">Interface: PromptMessage <a class="header-anchor" href="#interface-promptmessage" aria-label="Permalink to &quot;Interface: PromptMessage&quot;">​</a></h1><p>A message in a prompt.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-content"></a> <code>content</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/ContentBlock"><code>ContentBlock</code></a></td><td>Content of the message.</td></tr><tr><td><a id="property-role"></a> <code>role</code></td><td><code>readonly</code></td><td><a href="./../../protocol/type-aliases/Role"><code>Role</code></a></td><td>Author of the message.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/PromptMessage.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PromptMessage = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PromptMessage as default
};
