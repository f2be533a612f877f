import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ElicitUrl","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/ElicitUrl.md","filePath":"api/mcp/protocol/interfaces/ElicitUrl.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/ElicitUrl.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-eliciturl" tabindex="-1">Interface: ElicitUrl <a class="header-anchor" href="#interface-eliciturl" aria-label="Permalink to &quot;Interface: ElicitUrl&quot;">​</a></h1><p>Parameters for URL mode elicitation, for input that must not pass through the client.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-elicitationid"></a> <code>elicitationId?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Identifier of the elicitation, to which <code>notifications/elicitation/complete</code> refers. Used only in protocol version 2025-11-25. If omitted, clients of that version receive a random identifier.</td></tr><tr><td><a id="property-message"></a> <code>message</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Message that explains to the user why to visit the URL.</td></tr><tr><td><a id="property-mode"></a> <code>mode</code></td><td><code>readonly</code></td><td><code>&quot;url&quot;</code></td><td>Elicitation mode.</td></tr><tr><td><a id="property-url"></a> <code>url</code></td><td><code>readonly</code></td><td><code>string</code></td><td>URL for the user to visit.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/ElicitUrl.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ElicitUrl = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ElicitUrl as default
};
