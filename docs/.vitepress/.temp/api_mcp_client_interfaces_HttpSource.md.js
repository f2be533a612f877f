import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: HttpSource","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/client/interfaces/HttpSource.md","filePath":"api/mcp/client/interfaces/HttpSource.md"}');
const _sfc_main = { name: "api/mcp/client/interfaces/HttpSource.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-httpsource" tabindex="-1">Interface: HttpSource <a class="header-anchor" href="#interface-httpsource" aria-label="Permalink to &quot;Interface: HttpSource&quot;">​</a></h1><p>Address of an HTTP server, taken from an <a href="./../../mod/classes/HttpTransport"><code>HttpTransport</code></a> or an <a href="./../../mod/classes/SseTransport"><code>SseTransport</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-endpoint"></a> <code>endpoint</code></td><td><code>readonly</code></td><td><a href="./HttpEndpoint"><code>HttpEndpoint</code></a></td><td>Server URL and transport options.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/client/interfaces/HttpSource.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const HttpSource = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  HttpSource as default
};
