import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ClientDescription","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/ClientDescription.md","filePath":"api/mcp/protocol/interfaces/ClientDescription.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/ClientDescription.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-clientdescription" tabindex="-1">Interface: ClientDescription <a class="header-anchor" href="#interface-clientdescription" aria-label="Permalink to &quot;Interface: ClientDescription&quot;">​</a></h1><p>Description of the client that sent a request.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-capabilities"></a> <code>capabilities</code></td><td><code>readonly</code></td><td><a href="./ClientCapabilities"><code>ClientCapabilities</code></a></td><td>Declared client capabilities.</td></tr><tr><td><a id="property-info"></a> <code>info?</code></td><td><code>readonly</code></td><td><a href="./Implementation"><code>Implementation</code></a></td><td>Name and version reported by the client.</td></tr><tr><td><a id="property-loglevel"></a> <code>logLevel?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/LogLevel"><code>LogLevel</code></a></td><td>Minimum level of log messages requested by the client. If omitted, no log messages are sent.</td></tr><tr><td><a id="property-protocolversion"></a> <code>protocolVersion</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Protocol version of the request.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/ClientDescription.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ClientDescription = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ClientDescription as default
};
