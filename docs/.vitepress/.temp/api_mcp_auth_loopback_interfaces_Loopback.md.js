import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: Loopback","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/auth/loopback/interfaces/Loopback.md","filePath":"api/mcp/auth/loopback/interfaces/Loopback.md"}');
const _sfc_main = { name: "api/mcp/auth/loopback/interfaces/Loopback.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-loopback" tabindex="-1">Interface: Loopback <a class="header-anchor" href="#interface-loopback" aria-label="Permalink to &quot;Interface: Loopback&quot;">​</a></h1><p>A listener on the loopback interface.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-authorize"></a> <code>authorize</code></td><td><code>readonly</code></td><td><a href="./../../type-aliases/Authorize"><code>Authorize</code></a></td><td>Runs a login: opens the authorization URL and waits for the redirect.</td></tr><tr><td><a id="property-close"></a> <code>close</code></td><td><code>readonly</code></td><td>() =&gt; <code>Promise</code>&lt;<code>void</code>&gt;</td><td>Closes the listener and rejects pending logins. Later calls to <code>close()</code> have no effect.</td></tr><tr><td><a id="property-redirecturi"></a> <code>redirectUri</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Redirect URI of the listener.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/auth/loopback/interfaces/Loopback.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Loopback = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Loopback as default
};
