import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ServerDescription","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/ServerDescription.md","filePath":"api/mcp/protocol/interfaces/ServerDescription.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/ServerDescription.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-serverdescription" tabindex="-1">Interface: ServerDescription <a class="header-anchor" href="#interface-serverdescription" aria-label="Permalink to &quot;Interface: ServerDescription&quot;">​</a></h1><p>Description of a server, as returned in the result of <code>initialize</code>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-capabilities"></a> <code>capabilities</code></td><td><code>readonly</code></td><td><a href="./ServerCapabilities"><code>ServerCapabilities</code></a></td><td>Declared server capabilities.</td></tr><tr><td><a id="property-info"></a> <code>info?</code></td><td><code>readonly</code></td><td><a href="./Implementation"><code>Implementation</code></a></td><td>Name and version of the server.</td></tr><tr><td><a id="property-instructions"></a> <code>instructions?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Instructions for the client&#39;s model.</td></tr><tr><td><a id="property-protocolversion"></a> <code>protocolVersion</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Protocol version of the connection.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/ServerDescription.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ServerDescription = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ServerDescription as default
};
