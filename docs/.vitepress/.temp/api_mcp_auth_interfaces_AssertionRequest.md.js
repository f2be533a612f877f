import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: AssertionRequest","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/auth/interfaces/AssertionRequest.md","filePath":"api/mcp/auth/interfaces/AssertionRequest.md"}');
const _sfc_main = { name: "api/mcp/auth/interfaces/AssertionRequest.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-assertionrequest" tabindex="-1">Interface: AssertionRequest <a class="header-anchor" href="#interface-assertionrequest" aria-label="Permalink to &quot;Interface: AssertionRequest&quot;">​</a></h1><p>Parameters of <a href="./../type-aliases/GetAssertion"><code>GetAssertion</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-fetch"></a> <code>fetch</code></td><td><code>readonly</code></td><td>(<code>url</code>, <code>init?</code>) =&gt; <code>Promise</code>&lt;<code>Response</code>&gt;</td><td>A <code>fetch</code> function with a timeout and a response size limit.</td></tr><tr><td><a id="property-issuer"></a> <code>issuer</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Issuer identifier of the authorization server, which is the audience of the assertion.</td></tr><tr><td><a id="property-resource"></a> <code>resource</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Resource indicator of the MCP server (RFC 8707).</td></tr><tr><td><a id="property-scope"></a> <code>scope?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Requested scopes, separated by spaces.</td></tr><tr><td><a id="property-signal"></a> <code>signal</code></td><td><code>readonly</code></td><td><code>AbortSignal</code></td><td>Aborts when all callers have aborted.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/auth/interfaces/AssertionRequest.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const AssertionRequest = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  AssertionRequest as default
};
