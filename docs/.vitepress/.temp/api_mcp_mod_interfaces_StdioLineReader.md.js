import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: StdioLineReader","description":"","frontmatter":{},"headers":[{"level":2,"title":"Methods","slug":"methods","link":"#methods","children":[{"level":3,"title":"readLine()","slug":"readline","link":"#readline","children":[]}]}],"relativePath":"api/mcp/mod/interfaces/StdioLineReader.md","filePath":"api/mcp/mod/interfaces/StdioLineReader.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/StdioLineReader.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-stdiolinereader" tabindex="-1">Interface: StdioLineReader <a class="header-anchor" href="#interface-stdiolinereader" aria-label="Permalink to &quot;Interface: StdioLineReader&quot;">​</a></h1><p>A source of lines, such as standard input.</p><h2 id="methods" tabindex="-1">Methods <a class="header-anchor" href="#methods" aria-label="Permalink to &quot;Methods&quot;">​</a></h2><h3 id="readline" tabindex="-1">readLine() <a class="header-anchor" href="#readline" aria-label="Permalink to &quot;readLine()&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;">readLine</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">(): </span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">Promise</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">&lt;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">string </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">|</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> null</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">&gt;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Reads the next line without its line terminator. Resolves with <code>null</code> at the end of the input.</p><h4 id="returns" tabindex="-1">Returns <a class="header-anchor" href="#returns" aria-label="Permalink to &quot;Returns&quot;">​</a></h4><p><code>Promise</code>&lt;<code>string</code> | <code>null</code>&gt;</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/StdioLineReader.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const StdioLineReader = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  StdioLineReader as default
};
