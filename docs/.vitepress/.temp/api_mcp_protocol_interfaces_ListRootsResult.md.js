import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ListRootsResult","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/ListRootsResult.md","filePath":"api/mcp/protocol/interfaces/ListRootsResult.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/ListRootsResult.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-listrootsresult" tabindex="-1">Interface: ListRootsResult <a class="header-anchor" href="#interface-listrootsresult" aria-label="Permalink to &quot;Interface: ListRootsResult&quot;">​</a></h1><p>Result of <code>roots/list</code>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-roots"></a> <code>roots</code></td><td><code>readonly</code></td><td>readonly <a href="./Root"><code>Root</code></a>[]</td><td>The client&#39;s roots.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/ListRootsResult.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ListRootsResult = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ListRootsResult as default
};
