import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ModelActivityOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/temporal/interfaces/ModelActivityOptions.md","filePath":"api/runtime/temporal/interfaces/ModelActivityOptions.md"}');
const _sfc_main = { name: "api/runtime/temporal/interfaces/ModelActivityOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-modelactivityoptions" tabindex="-1">Interface: ModelActivityOptions <a class="header-anchor" href="#interface-modelactivityoptions" aria-label="Permalink to &quot;Interface: ModelActivityOptions&quot;">​</a></h1><p>Options for <a href="./../functions/runModelActivity"><code>runModelActivity</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-applicationfailure"></a> <code>ApplicationFailure</code></td><td><code>readonly</code></td><td><a href="./ApplicationFailureClass"><code>ApplicationFailureClass</code></a></td><td>The class <code>ApplicationFailure</code> from <code>@temporalio/activity</code>.</td></tr><tr><td><a id="property-signal"></a> <code>signal?</code></td><td><code>readonly</code></td><td><code>AbortSignal</code></td><td>Aborts the model call: <code>Context.current().cancellationSignal</code>.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/temporal/interfaces/ModelActivityOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ModelActivityOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ModelActivityOptions as default
};
