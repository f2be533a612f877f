import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ElicitRequest","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/mod/interfaces/ElicitRequest.md","filePath":"api/mcp/mod/interfaces/ElicitRequest.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/ElicitRequest.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-elicitrequest" tabindex="-1">Interface: ElicitRequest <a class="header-anchor" href="#interface-elicitrequest" aria-label="Permalink to &quot;Interface: ElicitRequest&quot;">​</a></h1><p>A request for input from the client&#39;s user.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-method"></a> <code>method</code></td><td><code>readonly</code></td><td><code>&quot;elicitation/create&quot;</code></td><td>Request method.</td></tr><tr><td><a id="property-params"></a> <code>params</code></td><td><code>readonly</code></td><td>| <a href="./../../protocol/interfaces/ElicitForm"><code>ElicitForm</code></a> | <a href="./../../protocol/interfaces/ElicitUrl"><code>ElicitUrl</code></a></td><td>Form to display or URL to visit.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/ElicitRequest.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ElicitRequest = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ElicitRequest as default
};
