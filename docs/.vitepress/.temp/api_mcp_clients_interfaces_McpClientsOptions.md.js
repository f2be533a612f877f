import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: McpClientsOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/clients/interfaces/McpClientsOptions.md","filePath":"api/mcp/clients/interfaces/McpClientsOptions.md"}');
const _sfc_main = { name: "api/mcp/clients/interfaces/McpClientsOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-mcpclientsoptions" tabindex="-1">Interface: McpClientsOptions <a class="header-anchor" href="#interface-mcpclientsoptions" aria-label="Permalink to &quot;Interface: McpClientsOptions&quot;">​</a></h1><p>Options for <a href="./../classes/McpClients"><code>McpClients</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-maxservers"></a> <code>maxServers?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of servers. <strong>Default</strong> <code>{100}</code></td></tr><tr><td><a id="property-maxtools"></a> <code>maxTools?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of tools of all servers together. If the servers list more tools, <code>listTools</code> and <code>watchTools</code> fail with code <code>protocol_error</code>. <strong>Default</strong> <code>{10_000}</code></td></tr><tr><td><a id="property-onerror"></a> <code>onError?</code></td><td><code>readonly</code></td><td>(<code>error</code>) =&gt; <code>void</code></td><td>Called with one error for each server whose tools cannot be listed, with one error for each tool that a server lists twice, and with errors from disconnecting. If omitted, errors are printed to standard error: each error once, and at most 20 per minute. <code>() =&gt; {}</code> ignores these errors.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/clients/interfaces/McpClientsOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const McpClientsOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  McpClientsOptions as default
};
