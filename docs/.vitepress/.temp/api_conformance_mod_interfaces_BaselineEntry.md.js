import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: BaselineEntry","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/conformance/mod/interfaces/BaselineEntry.md","filePath":"api/conformance/mod/interfaces/BaselineEntry.md"}');
const _sfc_main = { name: "api/conformance/mod/interfaces/BaselineEntry.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-baselineentry" tabindex="-1">Interface: BaselineEntry <a class="header-anchor" href="#interface-baselineentry" aria-label="Permalink to &quot;Interface: BaselineEntry&quot;">​</a></h1><p>One known failure.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-comment"></a> <code>comment?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Comment for human readers.</td></tr><tr><td><a id="property-flaky"></a> <code>flaky?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether both passes and failures are accepted.</td></tr><tr><td><a id="property-id"></a> <code>id</code></td><td><code>readonly</code></td><td><code>string</code></td><td>A case id, or a pattern that matches at most 20 cases.</td></tr><tr><td><a id="property-issue"></a> <code>issue?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>URL of the issue that tracks the failure.</td></tr><tr><td><a id="property-message"></a> <code>message?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Prefix of the failure description. Failures with any other description are unexpected.</td></tr><tr><td><a id="property-transport"></a> <code>transport?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Transport that the entry applies to. If omitted, all transports.</td></tr><tr><td><a id="property-until"></a> <code>until?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Last day on which the failure is accepted, as <code>YYYY-MM-DD</code>.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/mod/interfaces/BaselineEntry.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const BaselineEntry = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  BaselineEntry as default
};
