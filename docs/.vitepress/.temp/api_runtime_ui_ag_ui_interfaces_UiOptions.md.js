import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: UiOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/ui/ag_ui/interfaces/UiOptions.md","filePath":"api/runtime/ui/ag_ui/interfaces/UiOptions.md"}');
const _sfc_main = { name: "api/runtime/ui/ag_ui/interfaces/UiOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-uioptions" tabindex="-1">Interface: UiOptions <a class="header-anchor" href="#interface-uioptions" aria-label="Permalink to &quot;Interface: UiOptions&quot;">​</a></h1><p>Options for sending the events of a run to a front end.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./AgUiOptions"><code>AgUiOptions</code></a></li><li><a href="./UiResponseOptions"><code>UiResponseOptions</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-errortext"></a> <code>errorText?</code></td><td><code>readonly</code></td><td>(<code>error</code>) =&gt; <code>string</code></td><td>Returns the text that the front end receives for an error, which is the error of a failed run or an exception that a tool threw. Errors can contain secrets, for example a host name. If omitted, or if the function throws or returns a value that is not a string, the text is <code>An error occurred</code>.</td></tr><tr><td><a id="property-onerror"></a> <code>onError?</code></td><td><code>readonly</code></td><td>(<code>error</code>) =&gt; <code>void</code></td><td>Called with the error of a failed run, whose message the front end does not receive, and with exceptions from <code>errorText</code>. If omitted, each distinct error is printed to standard error.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/ui/ag_ui/interfaces/UiOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const UiOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  UiOptions as default
};
