import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RouterWorkflowOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/RouterWorkflowOptions.md","filePath":"api/runtime/mod/interfaces/RouterWorkflowOptions.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/RouterWorkflowOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-routerworkflowoptions" tabindex="-1">Interface: RouterWorkflowOptions <a class="header-anchor" href="#interface-routerworkflowoptions" aria-label="Permalink to &quot;Interface: RouterWorkflowOptions&quot;">​</a></h1><p>Options for <a href="./../classes/RouterWorkflow"><code>RouterWorkflow</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-onerror"></a> <code>onError?</code></td><td><code>readonly</code></td><td>(<code>error</code>, <code>triedIndexes</code>) =&gt; <code>number</code> | <code>Promise</code>&lt;<code>number</code> | <code>undefined</code>&gt; | <code>undefined</code></td><td>Called when an agent fails. Returns the index of another agent to run, or <code>undefined</code> to make the workflow reject with the agent&#39;s error. The workflow also rejects if the returned index belongs to an agent that has already failed. If omitted, the workflow rejects at the first failure.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/RouterWorkflowOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RouterWorkflowOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RouterWorkflowOptions as default
};
