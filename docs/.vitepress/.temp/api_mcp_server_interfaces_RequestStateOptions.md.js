import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RequestStateOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/server/interfaces/RequestStateOptions.md","filePath":"api/mcp/server/interfaces/RequestStateOptions.md"}');
const _sfc_main = { name: "api/mcp/server/interfaces/RequestStateOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-requeststateoptions" tabindex="-1">Interface: RequestStateOptions <a class="header-anchor" href="#interface-requeststateoptions" aria-label="Permalink to &quot;Interface: RequestStateOptions&quot;">​</a></h1><p>Options for request state encryption.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-keys"></a> <code>keys?</code></td><td><code>readonly</code></td><td>readonly <code>Uint8Array</code>&lt;<code>ArrayBufferLike</code>&gt;[]</td><td>Secret AES-256 keys, each 32 bytes long, at least one and at most 8. The first key encrypts, and all keys decrypt. All servers that can receive the retried request must have the same keys. To replace a key, first add the new key to the end of the list on all servers, then move it to the front, and remove the old key after <code>ttlMs</code>. If omitted, each server object uses a random key.</td></tr><tr><td><a id="property-now"></a> <code>now?</code></td><td><code>readonly</code></td><td>() =&gt; <code>number</code></td><td>Returns the current time, in milliseconds since the Unix epoch. If omitted, <code>Date.now</code> is used.</td></tr><tr><td><a id="property-ttlms"></a> <code>ttlMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Lifetime of an encrypted state, in milliseconds. <strong>Default</strong> <code>{600_000}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/server/interfaces/RequestStateOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RequestStateOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RequestStateOptions as default
};
