import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: McpErrorOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/apps/interfaces/McpErrorOptions.md","filePath":"api/mcp/apps/interfaces/McpErrorOptions.md"}');
const _sfc_main = { name: "api/mcp/apps/interfaces/McpErrorOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-mcperroroptions" tabindex="-1">Interface: McpErrorOptions <a class="header-anchor" href="#interface-mcperroroptions" aria-label="Permalink to &quot;Interface: McpErrorOptions&quot;">​</a></h1><p>Options for the constructors of <a href="./../../mod/classes/McpError"><code>McpError</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-cause"></a> <code>cause?</code></td><td><code>readonly</code></td><td><code>unknown</code></td><td>Underlying error.</td></tr><tr><td><a id="property-data"></a> <code>data?</code></td><td><code>readonly</code></td><td><code>unknown</code></td><td>The <code>data</code> member of the JSON-RPC error object.</td></tr><tr><td><a id="property-httpstatus"></a> <code>httpStatus?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Status code of the HTTP response.</td></tr><tr><td><a id="property-rpccode"></a> <code>rpcCode?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>JSON-RPC error code: on a client, the received code; on a server, the code for the error response.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/apps/interfaces/McpErrorOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const McpErrorOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  McpErrorOptions as default
};
