import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: HttpResponse","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/auth/interfaces/HttpResponse.md","filePath":"api/mcp/auth/interfaces/HttpResponse.md"}');
const _sfc_main = { name: "api/mcp/auth/interfaces/HttpResponse.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-httpresponse" tabindex="-1">Interface: HttpResponse <a class="header-anchor" href="#interface-httpresponse" aria-label="Permalink to &quot;Interface: HttpResponse&quot;">​</a></h1><p>An HTTP response.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-body"></a> <code>body</code></td><td><code>readonly</code></td><td><code>string</code> | <code>ReadableStream</code>&lt;<code>Uint8Array</code>&lt;<code>ArrayBufferLike</code>&gt;&gt; | <code>null</code></td><td>Body: a string, a byte stream, or <code>null</code> if the response has no body.</td></tr><tr><td><a id="property-headers"></a> <code>headers</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>string</code>&gt;&gt;</td><td>Headers, with names in lower case.</td></tr><tr><td><a id="property-status"></a> <code>status</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Status code.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/auth/interfaces/HttpResponse.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const HttpResponse = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  HttpResponse as default
};
