import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: LoopEventOrigin","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/LoopEventOrigin.md","filePath":"api/runtime/mod/interfaces/LoopEventOrigin.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/LoopEventOrigin.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-loopeventorigin" tabindex="-1">Interface: LoopEventOrigin <a class="header-anchor" href="#interface-loopeventorigin" aria-label="Permalink to &quot;Interface: LoopEventOrigin&quot;">​</a></h1><p>The run and the agent that an event belongs to.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./ModelStepInfo"><code>ModelStepInfo</code></a></li><li><a href="./RunStepInfo"><code>RunStepInfo</code></a></li><li><a href="./ToolStepInfo"><code>ToolStepInfo</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-path"></a> <code>path</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Agent names from the outermost agent to the running agent.</td></tr><tr><td><a id="property-runid"></a> <code>runId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the run. If a tool passes its context to a sub-agent, the sub-agent&#39;s run id starts with the parent&#39;s run id.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/LoopEventOrigin.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const LoopEventOrigin = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  LoopEventOrigin as default
};
