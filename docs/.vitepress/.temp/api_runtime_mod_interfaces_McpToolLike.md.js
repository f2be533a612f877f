import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: McpToolLike","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/McpToolLike.md","filePath":"api/runtime/mod/interfaces/McpToolLike.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/McpToolLike.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-mcptoollike" tabindex="-1">Interface: McpToolLike <a class="header-anchor" href="#interface-mcptoollike" aria-label="Permalink to &quot;Interface: McpToolLike&quot;">​</a></h1><p>A tool listed by <code>tools/list</code>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-annotations"></a> <code>annotations?</code></td><td><code>readonly</code></td><td><code>unknown</code></td><td>Hints about the effects of the tool.</td></tr><tr><td><a id="property-description"></a> <code>description?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Description of the tool for the model.</td></tr><tr><td><a id="property-inputschema"></a> <code>inputSchema</code></td><td><code>readonly</code></td><td><code>object</code></td><td>JSON Schema of the arguments.</td></tr><tr><td><a id="property-name"></a> <code>name</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the tool on the server.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/McpToolLike.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const McpToolLike = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  McpToolLike as default
};
