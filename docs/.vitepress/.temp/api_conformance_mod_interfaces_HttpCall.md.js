import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: HttpCall","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/conformance/mod/interfaces/HttpCall.md","filePath":"api/conformance/mod/interfaces/HttpCall.md"}');
const _sfc_main = { name: "api/conformance/mod/interfaces/HttpCall.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-httpcall" tabindex="-1">Interface: HttpCall <a class="header-anchor" href="#interface-httpcall" aria-label="Permalink to &quot;Interface: HttpCall&quot;">​</a></h1><p>An HTTP request to the subject.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-body"></a> <code>body?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/JsonValue"><code>JsonValue</code></a></td><td>Body, sent as JSON.</td></tr><tr><td><a id="property-bodytext"></a> <code>bodyText?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Body, sent unchanged.</td></tr><tr><td><a id="property-headers"></a> <code>headers?</code></td><td><code>readonly</code></td><td><code>object</code></td><td>Headers: strings, or <code>{&quot;$ref&quot;: name}</code> for captured values.</td></tr><tr><td><a id="property-method"></a> <code>method</code></td><td><code>readonly</code></td><td><code>string</code></td><td>The HTTP method.</td></tr><tr><td><a id="property-path"></a> <code>path?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Path, relative to the subject&#39;s URL. If omitted, the request is sent to the subject&#39;s URL.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/mod/interfaces/HttpCall.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const HttpCall = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  HttpCall as default
};
