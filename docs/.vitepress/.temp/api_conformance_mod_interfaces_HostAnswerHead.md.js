import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: HostAnswerHead","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/conformance/mod/interfaces/HostAnswerHead.md","filePath":"api/conformance/mod/interfaces/HostAnswerHead.md"}');
const _sfc_main = { name: "api/conformance/mod/interfaces/HostAnswerHead.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-hostanswerhead" tabindex="-1">Interface: HostAnswerHead <a class="header-anchor" href="#interface-hostanswerhead" aria-label="Permalink to &quot;Interface: HostAnswerHead&quot;">​</a></h1><p>Members common to all host responses.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-expect"></a> <code>expect?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/JsonValue"><code>JsonValue</code></a></td><td>Matcher for the call.</td></tr><tr><td><a id="property-hold"></a> <code>hold?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Delays the response until a step releases this name.</td></tr><tr><td><a id="property-ignoresabort"></a> <code>ignoresAbort?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether to keep delaying the response after the call&#39;s signal is aborted. If omitted, an aborted call fails.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/mod/interfaces/HostAnswerHead.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const HostAnswerHead = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  HostAnswerHead as default
};
