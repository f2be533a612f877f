import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: Implementation","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/Implementation.md","filePath":"api/mcp/protocol/interfaces/Implementation.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/Implementation.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-implementation" tabindex="-1">Interface: Implementation <a class="header-anchor" href="#interface-implementation" aria-label="Permalink to &quot;Interface: Implementation&quot;">​</a></h1><p>Name and version of a client or server. The values are self-reported, so use them only for display and logging.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./../../mod/interfaces/McpServerConfig"><code>McpServerConfig</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-description"></a> <code>description?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Description of the software.</td></tr><tr><td><a id="property-icons"></a> <code>icons?</code></td><td><code>readonly</code></td><td>readonly <a href="./Icon"><code>Icon</code></a>[]</td><td>Icons for user interfaces.</td></tr><tr><td><a id="property-name"></a> <code>name</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the software.</td></tr><tr><td><a id="property-title"></a> <code>title?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Display name of the software.</td></tr><tr><td><a id="property-version"></a> <code>version</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Version of the software.</td></tr><tr><td><a id="property-websiteurl"></a> <code>websiteUrl?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>URL of the software&#39;s website.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/Implementation.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Implementation = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Implementation as default
};
