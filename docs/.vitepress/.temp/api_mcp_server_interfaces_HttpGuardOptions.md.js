import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: HttpGuardOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/server/interfaces/HttpGuardOptions.md","filePath":"api/mcp/server/interfaces/HttpGuardOptions.md"}');
const _sfc_main = { name: "api/mcp/server/interfaces/HttpGuardOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-httpguardoptions" tabindex="-1">Interface: HttpGuardOptions <a class="header-anchor" href="#interface-httpguardoptions" aria-label="Permalink to &quot;Interface: HttpGuardOptions&quot;">​</a></h1><p>Allowed hosts and origins, and the body limit.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./HttpOptions"><code>HttpOptions</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-allowedhosts"></a> <code>allowedHosts?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[] | <code>&quot;any&quot;</code></td><td>Host names accepted in the <code>Host</code> header, without port. <code>&quot;any&quot;</code> accepts all hosts. If omitted, only loopback names are accepted (<code>localhost</code>, <code>127.0.0.1</code>, <code>[::1]</code>), which prevents DNS rebinding attacks on local servers.</td></tr><tr><td><a id="property-allowedorigins"></a> <code>allowedOrigins?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[] | <code>&quot;any&quot;</code></td><td>Origins of web pages that may use the server, such as <code>https://app.example</code>. <code>&quot;any&quot;</code> accepts all origins. Responses to these origins include CORS headers. If omitted, only pages served from the allowed hosts may use the server.</td></tr><tr><td><a id="property-maxbodybytes"></a> <code>maxBodyBytes?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum size of a request body, in bytes. <strong>Default</strong> <code>{4_194_304}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/server/interfaces/HttpGuardOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const HttpGuardOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  HttpGuardOptions as default
};
