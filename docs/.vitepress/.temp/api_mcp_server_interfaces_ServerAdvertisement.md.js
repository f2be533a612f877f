import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ServerAdvertisement","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extends","slug":"extends","link":"#extends","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/server/interfaces/ServerAdvertisement.md","filePath":"api/mcp/server/interfaces/ServerAdvertisement.md"}');
const _sfc_main = { name: "api/mcp/server/interfaces/ServerAdvertisement.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-serveradvertisement" tabindex="-1">Interface: ServerAdvertisement <a class="header-anchor" href="#interface-serveradvertisement" aria-label="Permalink to &quot;Interface: ServerAdvertisement&quot;">​</a></h1><p>A server&#39;s identity and capabilities.</p><h2 id="extends" tabindex="-1">Extends <a class="header-anchor" href="#extends" aria-label="Permalink to &quot;Extends&quot;">​</a></h2><ul><li><a href="./ServerIdentity"><code>ServerIdentity</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th><th>Inherited from</th></tr></thead><tbody><tr><td><a id="property-cache"></a> <code>cache?</code></td><td><code>readonly</code></td><td><a href="./../../protocol/interfaces/CacheHint"><code>CacheHint</code></a></td><td>Caching rules for lists and resources.</td><td><a href="./ServerIdentity"><code>ServerIdentity</code></a>.<a href="./ServerIdentity#property-cache"><code>cache</code></a></td></tr><tr><td><a id="property-capabilities"></a> <code>capabilities</code></td><td><code>readonly</code></td><td><a href="./../../protocol/interfaces/ServerCapabilities"><code>ServerCapabilities</code></a></td><td>Declared capabilities.</td><td>-</td></tr><tr><td><a id="property-info"></a> <code>info</code></td><td><code>readonly</code></td><td><a href="./../../protocol/interfaces/Implementation"><code>Implementation</code></a></td><td>Name and version of the server.</td><td><a href="./ServerIdentity"><code>ServerIdentity</code></a>.<a href="./ServerIdentity#property-info"><code>info</code></a></td></tr><tr><td><a id="property-instructions"></a> <code>instructions?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Instructions for the client&#39;s model.</td><td><a href="./ServerIdentity"><code>ServerIdentity</code></a>.<a href="./ServerIdentity#property-instructions"><code>instructions</code></a></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/server/interfaces/ServerAdvertisement.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ServerAdvertisement = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ServerAdvertisement as default
};
