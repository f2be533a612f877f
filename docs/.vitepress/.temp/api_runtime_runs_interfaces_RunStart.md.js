import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RunStart","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/runs/interfaces/RunStart.md","filePath":"api/runtime/runs/interfaces/RunStart.md"}');
const _sfc_main = { name: "api/runtime/runs/interfaces/RunStart.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-runstart" tabindex="-1">Interface: RunStart <a class="header-anchor" href="#interface-runstart" aria-label="Permalink to &quot;Interface: RunStart&quot;">​</a></h1><p>A run to start.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-agent"></a> <code>agent</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the agent.</td></tr><tr><td><a id="property-due"></a> <code>due?</code></td><td><code>readonly</code></td><td><code>Date</code></td><td>Earliest start time of the run. If omitted, the run starts immediately.</td></tr><tr><td><a id="property-input"></a> <code>input</code></td><td><code>readonly</code></td><td><a href="./../../mod/type-aliases/UserTurn"><code>UserTurn</code></a></td><td>Message from the user: text or parts.</td></tr><tr><td><a id="property-runid"></a> <code>runId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the run: 1 to 256 characters. Starting a run with the id of an equal run has no effect.</td></tr><tr><td><a id="property-tx"></a> <code>tx?</code></td><td><code>readonly</code></td><td><code>unknown</code></td><td>Transaction of the caller, of a type that the engine defines. The run is started if and when the transaction is committed. If omitted, the run is started when the promise resolves.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/runs/interfaces/RunStart.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RunStart = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RunStart as default
};
