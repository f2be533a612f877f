import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: KeyEnd","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/did/interfaces/KeyEnd.md","filePath":"api/comm/did/interfaces/KeyEnd.md"}');
const _sfc_main = { name: "api/comm/did/interfaces/KeyEnd.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-keyend" tabindex="-1">Interface: KeyEnd <a class="header-anchor" href="#interface-keyend" aria-label="Permalink to &quot;Interface: KeyEnd&quot;">​</a></h1><p>The end of a key&#39;s validity, as specified in a DID document.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-atms"></a> <code>atMs</code></td><td><code>readonly</code></td><td><code>number</code></td><td>The time from which the key must not be used, in milliseconds since the Unix epoch. <code>-Infinity</code> if the document contains a time that is not a valid timestamp.</td></tr><tr><td><a id="property-code"></a> <code>code</code></td><td><code>readonly</code></td><td><code>&quot;key_revoked&quot;</code> | <code>&quot;key_expired&quot;</code></td><td>Whether the key is revoked or expires.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/did/interfaces/KeyEnd.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const KeyEnd = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  KeyEnd as default
};
