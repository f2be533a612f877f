import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RestateStepsOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/restate/interfaces/RestateStepsOptions.md","filePath":"api/runtime/restate/interfaces/RestateStepsOptions.md"}');
const _sfc_main = { name: "api/runtime/restate/interfaces/RestateStepsOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-restatestepsoptions" tabindex="-1">Interface: RestateStepsOptions <a class="header-anchor" href="#interface-restatestepsoptions" aria-label="Permalink to &quot;Interface: RestateStepsOptions&quot;">​</a></h1><p>Options for <a href="./../functions/restateSteps"><code>restateSteps</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-terminalerror"></a> <code>TerminalError</code></td><td><code>readonly</code></td><td>new (<code>message</code>) =&gt; <code>Error</code></td><td>The class <code>TerminalError</code> of the Restate SDK, for failures that Restate must not retry.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/restate/interfaces/RestateStepsOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RestateStepsOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RestateStepsOptions as default
};
