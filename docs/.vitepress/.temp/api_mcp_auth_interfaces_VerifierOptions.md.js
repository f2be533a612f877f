import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: VerifierOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/auth/interfaces/VerifierOptions.md","filePath":"api/mcp/auth/interfaces/VerifierOptions.md"}');
const _sfc_main = { name: "api/mcp/auth/interfaces/VerifierOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-verifieroptions" tabindex="-1">Interface: VerifierOptions <a class="header-anchor" href="#interface-verifieroptions" aria-label="Permalink to &quot;Interface: VerifierOptions&quot;">​</a></h1><p>Options for requests to an authorization server.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./IntrospectionOptions"><code>IntrospectionOptions</code></a></li><li><a href="./JwtVerifierOptions"><code>JwtVerifierOptions</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-fetch"></a> <code>fetch?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/HttpFetch"><code>HttpFetch</code></a></td><td>Function that sends the requests. Defaults to the built-in <code>fetch</code>.</td></tr><tr><td><a id="property-maxresponsebytes"></a> <code>maxResponseBytes?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum size of a response, in bytes. <strong>Default</strong> <code>{262_144}</code></td></tr><tr><td><a id="property-requesttimeoutms"></a> <code>requestTimeoutMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Request timeout, in milliseconds. <strong>Default</strong> <code>{10_000}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/auth/interfaces/VerifierOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const VerifierOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  VerifierOptions as default
};
