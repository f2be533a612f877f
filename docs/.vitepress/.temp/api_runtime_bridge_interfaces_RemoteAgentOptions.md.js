import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RemoteAgentOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/bridge/interfaces/RemoteAgentOptions.md","filePath":"api/runtime/bridge/interfaces/RemoteAgentOptions.md"}');
const _sfc_main = { name: "api/runtime/bridge/interfaces/RemoteAgentOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-remoteagentoptions" tabindex="-1">Interface: RemoteAgentOptions <a class="header-anchor" href="#interface-remoteagentoptions" aria-label="Permalink to &quot;Interface: RemoteAgentOptions&quot;">​</a></h1><p>Options for <a href="./../functions/remoteAgent"><code>remoteAgent</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-description"></a> <code>description</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Description of the tool for the calling agent&#39;s model.</td></tr><tr><td><a id="property-maxtotalms"></a> <code>maxTotalMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum duration of a request, in milliseconds. If omitted, the peer&#39;s default applies.</td></tr><tr><td><a id="property-name"></a> <code>name</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the tool.</td></tr><tr><td><a id="property-peer"></a> <code>peer</code></td><td><code>readonly</code></td><td><a href="./RequestSender"><code>RequestSender</code></a></td><td>Sends the requests. Its protocol must be <code>agent.task.v1</code>.</td></tr><tr><td><a id="property-recipient"></a> <code>recipient</code></td><td><code>readonly</code></td><td><code>string</code></td><td>DID of the agent to ask.</td></tr><tr><td><a id="property-timeoutms"></a> <code>timeoutMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum time without a reply, in milliseconds. If omitted, the peer&#39;s default applies.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/bridge/interfaces/RemoteAgentOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RemoteAgentOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RemoteAgentOptions as default
};
