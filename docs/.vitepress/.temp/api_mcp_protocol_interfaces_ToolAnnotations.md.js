import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ToolAnnotations","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/ToolAnnotations.md","filePath":"api/mcp/protocol/interfaces/ToolAnnotations.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/ToolAnnotations.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-toolannotations" tabindex="-1">Interface: ToolAnnotations <a class="header-anchor" href="#interface-toolannotations" aria-label="Permalink to &quot;Interface: ToolAnnotations&quot;">​</a></h1><p>Hints about a tool&#39;s behavior, declared by the server. Do not rely on hints from untrusted servers.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-destructivehint"></a> <code>destructiveHint?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the tool can delete or overwrite data. If omitted, assume <code>true</code>.</td></tr><tr><td><a id="property-idempotenthint"></a> <code>idempotentHint?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether repeated calls with the same arguments have no additional effect. If omitted, assume <code>false</code>.</td></tr><tr><td><a id="property-openworldhint"></a> <code>openWorldHint?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the tool interacts with external systems, such as the Web. If omitted, assume <code>true</code>.</td></tr><tr><td><a id="property-readonlyhint"></a> <code>readOnlyHint?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the tool leaves its environment unmodified. If omitted, assume <code>false</code>.</td></tr><tr><td><a id="property-title"></a> <code>title?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Display name of the tool.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/ToolAnnotations.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ToolAnnotations = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ToolAnnotations as default
};
