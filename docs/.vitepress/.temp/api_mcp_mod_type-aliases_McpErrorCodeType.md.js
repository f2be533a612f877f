import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: McpErrorCodeType","description":"","frontmatter":{},"headers":[],"relativePath":"api/mcp/mod/type-aliases/McpErrorCodeType.md","filePath":"api/mcp/mod/type-aliases/McpErrorCodeType.md"}');
const _sfc_main = { name: "api/mcp/mod/type-aliases/McpErrorCodeType.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-mcperrorcodetype" tabindex="-1">Type Alias: McpErrorCodeType <a class="header-anchor" href="#type-alias-mcperrorcodetype" aria-label="Permalink to &quot;Type Alias: McpErrorCodeType&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> McpErrorCodeType</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> typeof</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> McpErrorCode[keyof </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">typeof</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> McpErrorCode];</span></span></code></pre></div><p>One of the values of <a href="./../variables/McpErrorCode"><code>McpErrorCode</code></a>.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/type-aliases/McpErrorCodeType.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const McpErrorCodeType = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  McpErrorCodeType as default
};
