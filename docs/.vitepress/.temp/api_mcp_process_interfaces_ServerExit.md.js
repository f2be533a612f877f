import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ServerExit","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/process/interfaces/ServerExit.md","filePath":"api/mcp/process/interfaces/ServerExit.md"}');
const _sfc_main = { name: "api/mcp/process/interfaces/ServerExit.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-serverexit" tabindex="-1">Interface: ServerExit <a class="header-anchor" href="#interface-serverexit" aria-label="Permalink to &quot;Interface: ServerExit&quot;">​</a></h1><p>Exit status of a server process.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-code"></a> <code>code</code></td><td><code>readonly</code></td><td><code>number</code> | <code>null</code></td><td>Exit code, or <code>null</code> if a signal terminated the process.</td></tr><tr><td><a id="property-signal"></a> <code>signal</code></td><td><code>readonly</code></td><td><code>string</code> | <code>null</code></td><td>Signal that terminated the process, or <code>null</code> if it exited by itself.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/process/interfaces/ServerExit.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ServerExit = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ServerExit as default
};
