import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: HttpBody","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/conformance/mod/interfaces/HttpBody.md","filePath":"api/conformance/mod/interfaces/HttpBody.md"}');
const _sfc_main = { name: "api/conformance/mod/interfaces/HttpBody.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-httpbody" tabindex="-1">Interface: HttpBody <a class="header-anchor" href="#interface-httpbody" aria-label="Permalink to &quot;Interface: HttpBody&quot;">​</a></h1><p>A body or chunk that the kit sends. At most one of <code>json</code>, <code>text</code>, <code>hex</code> and <code>events</code> can be set.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-chunks"></a> <code>chunks?</code></td><td><code>readonly</code></td><td>readonly <code>number</code>[]</td><td>Sizes of the chunks to write, in bytes.</td></tr><tr><td><a id="property-events"></a> <code>events?</code></td><td><code>readonly</code></td><td>readonly <a href="./EventToSend"><code>EventToSend</code></a>[]</td><td>Server-sent events.</td></tr><tr><td><a id="property-hex"></a> <code>hex?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Bytes, in hexadecimal.</td></tr><tr><td><a id="property-json"></a> <code>json?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/JsonValue"><code>JsonValue</code></a></td><td>A JSON value.</td></tr><tr><td><a id="property-text"></a> <code>text?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>A string. <code>&lt;&lt;name&gt;&gt;</code> is replaced with the captured value, serialized as JSON.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/mod/interfaces/HttpBody.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const HttpBody = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  HttpBody as default
};
