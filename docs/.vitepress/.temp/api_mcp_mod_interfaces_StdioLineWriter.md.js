import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: StdioLineWriter","description":"","frontmatter":{},"headers":[{"level":2,"title":"Methods","slug":"methods","link":"#methods","children":[{"level":3,"title":"writeLine()","slug":"writeline","link":"#writeline","children":[]}]}],"relativePath":"api/mcp/mod/interfaces/StdioLineWriter.md","filePath":"api/mcp/mod/interfaces/StdioLineWriter.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/StdioLineWriter.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-stdiolinewriter" tabindex="-1">Interface: StdioLineWriter <a class="header-anchor" href="#interface-stdiolinewriter" aria-label="Permalink to &quot;Interface: StdioLineWriter&quot;">​</a></h1><p>A destination for lines, such as standard output.</p><h2 id="methods" tabindex="-1">Methods <a class="header-anchor" href="#methods" aria-label="Permalink to &quot;Methods&quot;">​</a></h2><h3 id="writeline" tabindex="-1">writeLine() <a class="header-anchor" href="#writeline" aria-label="Permalink to &quot;writeLine()&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;">writeLine</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">(line): </span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">Promise</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">&lt;void&gt;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Writes a line and a line terminator.</p><h4 id="parameters" tabindex="-1">Parameters <a class="header-anchor" href="#parameters" aria-label="Permalink to &quot;Parameters&quot;">​</a></h4><table tabindex="0"><thead><tr><th>Parameter</th><th>Type</th></tr></thead><tbody><tr><td><code>line</code></td><td><code>string</code></td></tr></tbody></table><h4 id="returns" tabindex="-1">Returns <a class="header-anchor" href="#returns" aria-label="Permalink to &quot;Returns&quot;">​</a></h4><p><code>Promise</code>&lt;<code>void</code>&gt;</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/StdioLineWriter.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const StdioLineWriter = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  StdioLineWriter as default
};
