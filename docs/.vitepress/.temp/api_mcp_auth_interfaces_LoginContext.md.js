import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: LoginContext","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/auth/interfaces/LoginContext.md","filePath":"api/mcp/auth/interfaces/LoginContext.md"}');
const _sfc_main = { name: "api/mcp/auth/interfaces/LoginContext.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-logincontext" tabindex="-1">Interface: LoginContext <a class="header-anchor" href="#interface-logincontext" aria-label="Permalink to &quot;Interface: LoginContext&quot;">​</a></h1><p>Context of a login.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-signal"></a> <code>signal</code></td><td><code>readonly</code></td><td><code>AbortSignal</code></td><td>Aborts when the login times out or all callers have aborted.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/auth/interfaces/LoginContext.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const LoginContext = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  LoginContext as default
};
