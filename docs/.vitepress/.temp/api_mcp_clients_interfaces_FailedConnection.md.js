import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: FailedConnection","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/clients/interfaces/FailedConnection.md","filePath":"api/mcp/clients/interfaces/FailedConnection.md"}');
const _sfc_main = { name: "api/mcp/clients/interfaces/FailedConnection.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-failedconnection" tabindex="-1">Interface: FailedConnection <a class="header-anchor" href="#interface-failedconnection" aria-label="Permalink to &quot;Interface: FailedConnection&quot;">​</a></h1><p>A server to which <a href="./../classes/McpClients#connect"><code>McpClients.connect</code></a> could not connect.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-error"></a> <code>error</code></td><td><code>readonly</code></td><td><code>unknown</code></td><td>Reason for the failure, as thrown by <code>McpClient.connect</code>.</td></tr><tr><td><a id="property-name"></a> <code>name</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the server in the configuration.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/clients/interfaces/FailedConnection.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const FailedConnection = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  FailedConnection as default
};
