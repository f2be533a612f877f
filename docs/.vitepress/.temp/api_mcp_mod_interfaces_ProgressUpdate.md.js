import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ProgressUpdate","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/mod/interfaces/ProgressUpdate.md","filePath":"api/mcp/mod/interfaces/ProgressUpdate.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/ProgressUpdate.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-progressupdate" tabindex="-1">Interface: ProgressUpdate <a class="header-anchor" href="#interface-progressupdate" aria-label="Permalink to &quot;Interface: ProgressUpdate&quot;">​</a></h1><p>Progress of a request.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-message"></a> <code>message?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Progress message to show to the user.</td></tr><tr><td><a id="property-progress"></a> <code>progress</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Current progress, which increases with each update.</td></tr><tr><td><a id="property-total"></a> <code>total?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Value of <code>progress</code> at completion, if known.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/ProgressUpdate.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ProgressUpdate = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ProgressUpdate as default
};
