import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ParallelWorkflowOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/ParallelWorkflowOptions.md","filePath":"api/runtime/mod/interfaces/ParallelWorkflowOptions.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/ParallelWorkflowOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-parallelworkflowoptions" tabindex="-1">Interface: ParallelWorkflowOptions <a class="header-anchor" href="#interface-parallelworkflowoptions" aria-label="Permalink to &quot;Interface: ParallelWorkflowOptions&quot;">​</a></h1><p>Options for <a href="./../classes/ParallelWorkflow"><code>ParallelWorkflow</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-failfast"></a> <code>failFast?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the first failure aborts the runs of the other agents. <strong>Default</strong> <code>{false}</code></td></tr><tr><td><a id="property-onfailure"></a> <code>onFailure?</code></td><td><code>readonly</code></td><td><code>&quot;throw&quot;</code> | <code>&quot;collect&quot;</code></td><td>Behavior when a step fails: <code>&quot;throw&quot;</code> rejects after all agents have finished, and <code>&quot;collect&quot;</code> resolves with the successful steps and the <code>failures</code>. <strong>Default</strong> <code>{&quot;throw&quot;}</code></td></tr><tr><td><a id="property-reduce"></a> <code>reduce?</code></td><td><code>readonly</code></td><td>(<code>steps</code>) =&gt; <code>string</code> | <code>Promise</code>&lt;<code>string</code>&gt;</td><td>Combines the outputs of the finished steps into the <code>finalText</code> of the result. Called once, after all agents have finished, unless a step is waiting for an approval. <code>reduce</code> is not a journal step: a resumed workflow calls it again. If omitted, the final texts of the steps are joined with blank lines.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/ParallelWorkflowOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ParallelWorkflowOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ParallelWorkflowOptions as default
};
