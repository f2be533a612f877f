import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RecordedFailure","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/testing/interfaces/RecordedFailure.md","filePath":"api/runtime/testing/interfaces/RecordedFailure.md"}');
const _sfc_main = { name: "api/runtime/testing/interfaces/RecordedFailure.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-recordedfailure" tabindex="-1">Interface: RecordedFailure <a class="header-anchor" href="#interface-recordedfailure" aria-label="Permalink to &quot;Interface: RecordedFailure&quot;">​</a></h1><p>A recorded failure of a model call.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-failure"></a> <code>failure</code></td><td><code>readonly</code></td><td><code>object</code></td><td>The parts of the error that the loop uses.</td></tr><tr><td><code>failure.reason</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Reason for the failure.</td></tr><tr><td><code>failure.retryable</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the loop retries the call.</td></tr><tr><td><code>failure.retryAfterMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Retry delay requested by the provider, in milliseconds.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/testing/interfaces/RecordedFailure.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RecordedFailure = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RecordedFailure as default
};
