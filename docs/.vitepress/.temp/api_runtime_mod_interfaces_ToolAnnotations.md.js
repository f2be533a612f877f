import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ToolAnnotations","description":"","frontmatter":{},"headers":[{"level":2,"title":"See","slug":"see","link":"#see","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/ToolAnnotations.md","filePath":"api/runtime/mod/interfaces/ToolAnnotations.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/ToolAnnotations.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-toolannotations" tabindex="-1">Interface: ToolAnnotations <a class="header-anchor" href="#interface-toolannotations" aria-label="Permalink to &quot;Interface: ToolAnnotations&quot;">​</a></h1><p>Hints about the effects of a tool, for approval handlers and for resumed runs: a call that was interrupted by a crash is executed again if the tool is <code>readOnly</code> or <code>idempotent</code>. The names are the same as in the Model Context Protocol. Do not rely on hints from an untrusted server.</p><h2 id="see" tabindex="-1">See <a class="header-anchor" href="#see" aria-label="Permalink to &quot;See&quot;">​</a></h2><p><a href="https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations" target="_blank" rel="noreferrer">https://modelcontextprotocol.io/specification/2025-11-25/schema#toolannotations</a></p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-destructive"></a> <code>destructive?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the tool may make changes that cannot be undone.</td></tr><tr><td><a id="property-idempotent"></a> <code>idempotent?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether repeated calls with the same arguments have no additional effect.</td></tr><tr><td><a id="property-openworld"></a> <code>openWorld?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the tool interacts with external entities, for example on the web.</td></tr><tr><td><a id="property-readonly"></a> <code>readOnly?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the tool does not modify its environment.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/ToolAnnotations.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ToolAnnotations = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ToolAnnotations as default
};
