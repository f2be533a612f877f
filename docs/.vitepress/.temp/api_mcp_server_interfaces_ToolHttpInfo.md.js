import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ToolHttpInfo","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/server/interfaces/ToolHttpInfo.md","filePath":"api/mcp/server/interfaces/ToolHttpInfo.md"}');
const _sfc_main = { name: "api/mcp/server/interfaces/ToolHttpInfo.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-toolhttpinfo" tabindex="-1">Interface: ToolHttpInfo <a class="header-anchor" href="#interface-toolhttpinfo" aria-label="Permalink to &quot;Interface: ToolHttpInfo&quot;">​</a></h1><p>HTTP metadata for a tool: arguments mirrored in headers, and required scopes.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-parameterheaders"></a> <code>parameterHeaders</code></td><td><code>readonly</code></td><td>readonly <a href="./ParameterHeader"><code>ParameterHeader</code></a>[]</td><td>Arguments that are mirrored in HTTP headers.</td></tr><tr><td><a id="property-scopes"></a> <code>scopes</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>OAuth scopes that a principal must have to call the tool.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/server/interfaces/ToolHttpInfo.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ToolHttpInfo = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ToolHttpInfo as default
};
