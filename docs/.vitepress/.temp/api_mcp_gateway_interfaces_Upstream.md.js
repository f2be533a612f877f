import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: Upstream","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/gateway/interfaces/Upstream.md","filePath":"api/mcp/gateway/interfaces/Upstream.md"}');
const _sfc_main = { name: "api/mcp/gateway/interfaces/Upstream.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-upstream" tabindex="-1">Interface: Upstream <a class="header-anchor" href="#interface-upstream" aria-label="Permalink to &quot;Interface: Upstream&quot;">​</a></h1><p>A server behind the gateway.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-allow"></a> <code>allow?</code></td><td><code>readonly</code></td><td>(<code>name</code>, <code>caller</code>) =&gt; <code>boolean</code></td><td>Returns <code>true</code> if a caller can use an item of the server. Any other return value hides the item. <code>name</code> is the server&#39;s own name of the tool or prompt, the URI of the resource or the URI template of the resource template. If omitted, all callers can use all items.</td></tr><tr><td><a id="property-client"></a> <code>client</code></td><td><code>readonly</code></td><td>| <a href="./../../mod/classes/McpClient"><code>McpClient</code></a> | ((<code>caller</code>) =&gt; | <a href="./../../mod/classes/McpClient"><code>McpClient</code></a> | <code>Promise</code>&lt;<a href="./../../mod/classes/McpClient"><code>McpClient</code></a>&gt;)</td><td>Client of the server. A single client is used for all callers. A function returns a client for each principal within <code>listTimeoutMs</code>, for example one with the credentials of that principal, and must return a different client each time. The gateway connects the clients, connects them again if a connection is lost, and disconnects them when it closes. A legacy server requests only input that the <code>capabilities</code> or <code>handlers</code> option of its client declares.</td></tr><tr><td><a id="property-prefix"></a> <code>prefix?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Text before the names of the server&#39;s tools and prompts, or <code>&quot;&quot;</code> for no prefix. If omitted, the prefix is the key of the server, followed by <code>_</code>.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/gateway/interfaces/Upstream.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Upstream = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Upstream as default
};
