import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: HttpEndpoint","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/client/interfaces/HttpEndpoint.md","filePath":"api/mcp/client/interfaces/HttpEndpoint.md"}');
const _sfc_main = { name: "api/mcp/client/interfaces/HttpEndpoint.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-httpendpoint" tabindex="-1">Interface: HttpEndpoint <a class="header-anchor" href="#interface-httpendpoint" aria-label="Permalink to &quot;Interface: HttpEndpoint&quot;">​</a></h1><p>An HTTP endpoint and its options.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-options"></a> <code>options</code></td><td><code>readonly</code></td><td><a href="./HttpTransportOptions"><code>HttpTransportOptions</code></a></td><td>Transport options.</td></tr><tr><td><a id="property-prefers"></a> <code>prefers</code></td><td><code>readonly</code></td><td><code>&quot;sse&quot;</code> | <code>&quot;http&quot;</code></td><td>Protocol that the client tries first: Streamable HTTP (<code>http</code>) or HTTP+SSE (<code>sse</code>).</td></tr><tr><td><a id="property-url"></a> <code>url</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Server URL.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/client/interfaces/HttpEndpoint.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const HttpEndpoint = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  HttpEndpoint as default
};
