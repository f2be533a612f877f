import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: TimeoutDetails","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/client/interfaces/TimeoutDetails.md","filePath":"api/mcp/client/interfaces/TimeoutDetails.md"}');
const _sfc_main = { name: "api/mcp/client/interfaces/TimeoutDetails.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-timeoutdetails" tabindex="-1">Interface: TimeoutDetails <a class="header-anchor" href="#interface-timeoutdetails" aria-label="Permalink to &quot;Interface: TimeoutDetails&quot;">​</a></h1><p>Details of an error with code <code>timeout</code>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-kind"></a> <code>kind</code></td><td><code>readonly</code></td><td><code>&quot;silence&quot;</code> | <code>&quot;total&quot;</code> | <code>&quot;connect&quot;</code></td><td>Option whose time has expired: <code>timeoutMs</code> without a response or notification (<code>silence</code>), <code>maxTotalMs</code> (<code>total</code>), or <code>connectTimeoutMs</code> while a session is opened (<code>connect</code>).</td></tr><tr><td><a id="property-method"></a> <code>method</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Method of the request, such as <code>tools/call</code>.</td></tr><tr><td><a id="property-target"></a> <code>target?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the tool or prompt, or URI of the resource, if the request has one.</td></tr><tr><td><a id="property-timeoutms"></a> <code>timeoutMs</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Timeout that has expired, in milliseconds.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/client/interfaces/TimeoutDetails.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const TimeoutDetails = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  TimeoutDetails as default
};
