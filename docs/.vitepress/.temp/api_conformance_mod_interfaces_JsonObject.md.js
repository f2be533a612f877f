import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: JsonObject","description":"","frontmatter":{},"headers":[{"level":2,"title":"Indexable","slug":"indexable","link":"#indexable","children":[]}],"relativePath":"api/conformance/mod/interfaces/JsonObject.md","filePath":"api/conformance/mod/interfaces/JsonObject.md"}');
const _sfc_main = { name: "api/conformance/mod/interfaces/JsonObject.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-jsonobject" tabindex="-1">Interface: JsonObject <a class="header-anchor" href="#interface-jsonobject" aria-label="Permalink to &quot;Interface: JsonObject&quot;">​</a></h1><p>A JSON object.</p><h2 id="indexable" tabindex="-1">Indexable <a class="header-anchor" href="#indexable" aria-label="Permalink to &quot;Indexable&quot;">​</a></h2><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">[name: string]: JsonValue</span></span></code></pre></div><p>Members of the object.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/mod/interfaces/JsonObject.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const JsonObject = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  JsonObject as default
};
