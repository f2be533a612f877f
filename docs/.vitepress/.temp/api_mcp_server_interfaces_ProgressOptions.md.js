import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ProgressOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/server/interfaces/ProgressOptions.md","filePath":"api/mcp/server/interfaces/ProgressOptions.md"}');
const _sfc_main = { name: "api/mcp/server/interfaces/ProgressOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-progressoptions" tabindex="-1">Interface: ProgressOptions <a class="header-anchor" href="#interface-progressoptions" aria-label="Permalink to &quot;Interface: ProgressOptions&quot;">​</a></h1><p>Options for <a href="./../../mod/interfaces/RequestContext#progress"><code>RequestContext.progress</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-message"></a> <code>message?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>User-facing description of the current step.</td></tr><tr><td><a id="property-total"></a> <code>total?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Value of <code>progress</code> when the operation is complete. If omitted, the total is unknown.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/server/interfaces/ProgressOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ProgressOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ProgressOptions as default
};
