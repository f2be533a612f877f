import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: NodeListenerOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/node/interfaces/NodeListenerOptions.md","filePath":"api/mcp/node/interfaces/NodeListenerOptions.md"}');
const _sfc_main = { name: "api/mcp/node/interfaces/NodeListenerOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-nodelisteneroptions" tabindex="-1">Interface: NodeListenerOptions <a class="header-anchor" href="#interface-nodelisteneroptions" aria-label="Permalink to &quot;Interface: NodeListenerOptions&quot;">​</a></h1><p>Options for <a href="./../functions/toNodeListener"><code>toNodeListener</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-onerror"></a> <code>onError?</code></td><td><code>readonly</code></td><td>(<code>error</code>) =&gt; <code>void</code></td><td>Called with exceptions that the handler throws, which clients receive as HTTP 500 without details, and with requests whose body was already read. If omitted, errors are printed to standard error. <code>() =&gt; {}</code> ignores these errors.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/node/interfaces/NodeListenerOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const NodeListenerOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  NodeListenerOptions as default
};
