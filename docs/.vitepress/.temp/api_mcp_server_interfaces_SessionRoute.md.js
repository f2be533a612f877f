import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: SessionRoute","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/server/interfaces/SessionRoute.md","filePath":"api/mcp/server/interfaces/SessionRoute.md"}');
const _sfc_main = { name: "api/mcp/server/interfaces/SessionRoute.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-sessionroute" tabindex="-1">Interface: SessionRoute <a class="header-anchor" href="#interface-sessionroute" aria-label="Permalink to &quot;Interface: SessionRoute&quot;">​</a></h1><p>Options for forwarding requests to the process that holds their session.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-fetch"></a> <code>fetch?</code></td><td><code>readonly</code></td><td>(<code>input</code>, <code>init?</code>) =&gt; <code>Promise</code>&lt;<code>Response</code>&gt;</td><td>Function that sends the requests. If omitted, the built-in <code>fetch</code> is used.</td></tr><tr><td><a id="property-replica"></a> <code>replica</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of this process, at most 64 characters of <code>[A-Za-z0-9_-]</code>. Session ids begin with the name. Each process must have another name.</td></tr><tr><td><a id="property-replicas"></a> <code>replicas</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>string</code>&gt;&gt;</td><td>URLs of the MCP endpoints of all processes, by name. Requests are forwarded to these URLs only: a session id selects a name from this list, and never contains an address. The processes must accept the host names of the URLs (<code>allowedHosts</code>). The entry of this process is ignored.</td></tr><tr><td><a id="property-timeoutms"></a> <code>timeoutMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time in which another process must begin its response, in milliseconds. A client that does not accept event streams receives the beginning of the response only when the request is finished. <strong>Default</strong> <code>{600_000}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/server/interfaces/SessionRoute.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const SessionRoute = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  SessionRoute as default
};
