import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: NewRun","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/runs/interfaces/NewRun.md","filePath":"api/runtime/runs/interfaces/NewRun.md"}');
const _sfc_main = { name: "api/runtime/runs/interfaces/NewRun.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-newrun" tabindex="-1">Interface: NewRun <a class="header-anchor" href="#interface-newrun" aria-label="Permalink to &quot;Interface: NewRun&quot;">​</a></h1><p>A run that is started.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./RunRecord"><code>RunRecord</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-agent"></a> <code>agent</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the agent that executes the run.</td></tr><tr><td><a id="property-due"></a> <code>due?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Earliest start time of the run, in ISO 8601 format in UTC. If omitted, the run starts immediately.</td></tr><tr><td><a id="property-input"></a> <code>input</code></td><td><code>readonly</code></td><td><a href="./../../mod/type-aliases/JsonValue"><code>JsonValue</code></a></td><td>Message from the user, as JSON.</td></tr><tr><td><a id="property-runid"></a> <code>runId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the run.</td></tr><tr><td><a id="property-version"></a> <code>version</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Version of the agent.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/runs/interfaces/NewRun.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const NewRun = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  NewRun as default
};
