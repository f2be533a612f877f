import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ClientExtension","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/client/interfaces/ClientExtension.md","filePath":"api/mcp/client/interfaces/ClientExtension.md"}');
const _sfc_main = { name: "api/mcp/client/interfaces/ClientExtension.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-clientextension" tabindex="-1">Interface: ClientExtension <a class="header-anchor" href="#interface-clientextension" aria-label="Permalink to &quot;Interface: ClientExtension&quot;">​</a></h1><p>A client-side protocol extension, active only with servers that support protocol version 2026-07-28 or later.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./../../tasks/interfaces/ClientTasks"><code>ClientTasks</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-complete"></a> <code>complete?</code></td><td><code>readonly</code></td><td>(<code>call</code>, <code>session</code>) =&gt; <code>Promise</code>&lt;<code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>unknown</code>&gt;&gt;&gt;</td><td>Completes a result whose <code>resultType</code> is <a href="#property-resulttype"><code>ClientExtension.resultType</code></a>.</td></tr><tr><td><a id="property-id"></a> <code>id</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Extension identifier, such as <code>io.modelcontextprotocol/tasks</code>.</td></tr><tr><td><a id="property-namekeys"></a> <code>nameKeys?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>string</code>&gt;&gt;</td><td>For each method, the name of the parameter whose value is sent in the <code>Mcp-Name</code> header.</td></tr><tr><td><a id="property-opened"></a> <code>opened?</code></td><td><code>readonly</code></td><td>(<code>session</code>) =&gt; <code>void</code></td><td>Called with each new session.</td></tr><tr><td><a id="property-resulttype"></a> <code>resultType?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>The <code>resultType</code> of the results that <a href="#property-complete"><code>ClientExtension.complete</code></a> handles.</td></tr><tr><td><a id="property-settings"></a> <code>settings?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>unknown</code>&gt;&gt;</td><td>Extension settings to declare in the client capabilities. Defaults to an empty object.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/client/interfaces/ClientExtension.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ClientExtension = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ClientExtension as default
};
