import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: Annotations","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/Annotations.md","filePath":"api/mcp/protocol/interfaces/Annotations.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/Annotations.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-annotations" tabindex="-1">Interface: Annotations <a class="header-anchor" href="#interface-annotations" aria-label="Permalink to &quot;Interface: Annotations&quot;">​</a></h1><p>Audience, priority and age of a content block or resource. Annotations are hints from the server.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-audience"></a> <code>audience?</code></td><td><code>readonly</code></td><td>readonly <a href="./../type-aliases/Role"><code>Role</code></a>[]</td><td>Intended audience.</td></tr><tr><td><a id="property-lastmodified"></a> <code>lastModified?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Time of the last modification, in ISO 8601 format.</td></tr><tr><td><a id="property-priority"></a> <code>priority?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Importance, from 0 (optional) to 1 (required).</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/Annotations.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Annotations = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Annotations as default
};
