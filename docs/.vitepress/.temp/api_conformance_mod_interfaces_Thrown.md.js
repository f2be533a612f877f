import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: Thrown","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/conformance/mod/interfaces/Thrown.md","filePath":"api/conformance/mod/interfaces/Thrown.md"}');
const _sfc_main = { name: "api/conformance/mod/interfaces/Thrown.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-thrown" tabindex="-1">Interface: Thrown <a class="header-anchor" href="#interface-thrown" aria-label="Permalink to &quot;Interface: Thrown&quot;">​</a></h1><p>Error that a scripted function throws.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-message"></a> <code>message</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Error message.</td></tr><tr><td><a id="property-retryable"></a> <code>retryable?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the error is retryable.</td></tr><tr><td><a id="property-retryafterms"></a> <code>retryAfterMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Retry delay that the provider requests, in milliseconds.</td></tr><tr><td><a id="property-status"></a> <code>status?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>HTTP status code.</td></tr><tr><td><a id="property-tellmodel"></a> <code>tellModel?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/JsonValue"><code>JsonValue</code></a></td><td>Error that a tool returns to the model.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/mod/interfaces/Thrown.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Thrown = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Thrown as default
};
