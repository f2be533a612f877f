import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ListRootsRequest","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/ListRootsRequest.md","filePath":"api/mcp/protocol/interfaces/ListRootsRequest.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/ListRootsRequest.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-listrootsrequest" tabindex="-1">Interface: ListRootsRequest <a class="header-anchor" href="#interface-listrootsrequest" aria-label="Permalink to &quot;Interface: ListRootsRequest&quot;">​</a></h1><p>A request for the client&#39;s roots.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-method"></a> <code>method</code></td><td><code>readonly</code></td><td><code>&quot;roots/list&quot;</code></td><td>Request method.</td></tr><tr><td><a id="property-params"></a> <code>params?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>unknown</code>&gt;&gt;</td><td>Optional parameters, such as <code>_meta</code>.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/ListRootsRequest.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ListRootsRequest = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ListRootsRequest as default
};
