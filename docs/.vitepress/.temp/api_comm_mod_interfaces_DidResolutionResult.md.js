import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: DidResolutionResult","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/mod/interfaces/DidResolutionResult.md","filePath":"api/comm/mod/interfaces/DidResolutionResult.md"}');
const _sfc_main = { name: "api/comm/mod/interfaces/DidResolutionResult.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-didresolutionresult" tabindex="-1">Interface: DidResolutionResult <a class="header-anchor" href="#interface-didresolutionresult" aria-label="Permalink to &quot;Interface: DidResolutionResult&quot;">​</a></h1><p>Result of a DID resolution. Results are untrusted; <code>resolveDid</code> validates them.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-diddocument"></a> <code>didDocument</code></td><td><code>readonly</code></td><td><code>unknown</code></td><td>The DID document, or <code>null</code> if the resolution failed.</td></tr><tr><td><a id="property-diddocumentmetadata"></a> <code>didDocumentMetadata</code></td><td><code>readonly</code></td><td><code>object</code></td><td>Document metadata. <code>deactivated</code> is <code>true</code> if the DID is deactivated.</td></tr><tr><td><code>didDocumentMetadata.deactivated?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>-</td></tr><tr><td><a id="property-didresolutionmetadata"></a> <code>didResolutionMetadata</code></td><td><code>readonly</code></td><td><code>object</code></td><td>Resolution metadata. <code>error</code> is the reason for a failure, such as <code>notFound</code>.</td></tr><tr><td><code>didResolutionMetadata.error?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>-</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/mod/interfaces/DidResolutionResult.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const DidResolutionResult = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  DidResolutionResult as default
};
