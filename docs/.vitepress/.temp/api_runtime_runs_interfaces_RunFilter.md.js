import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RunFilter","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/runs/interfaces/RunFilter.md","filePath":"api/runtime/runs/interfaces/RunFilter.md"}');
const _sfc_main = { name: "api/runtime/runs/interfaces/RunFilter.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-runfilter" tabindex="-1">Interface: RunFilter <a class="header-anchor" href="#interface-runfilter" aria-label="Permalink to &quot;Interface: RunFilter&quot;">​</a></h1><p>Filter for <a href="./RunJournal#list"><code>RunJournal.list</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-after"></a> <code>after?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the last run on the previous page. If omitted, the list starts at the first run.</td></tr><tr><td><a id="property-agent"></a> <code>agent?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Only runs of this agent. If omitted, runs of all agents.</td></tr><tr><td><a id="property-limit"></a> <code>limit?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of runs; an integer from 1 to 1000. <strong>Default</strong> <code>{100}</code></td></tr><tr><td><a id="property-status"></a> <code>status?</code></td><td><code>readonly</code></td><td><a href="./../../pgboss/type-aliases/RunStatus"><code>RunStatus</code></a></td><td>Only runs with this status. If omitted, runs with any status.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/runs/interfaces/RunFilter.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RunFilter = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RunFilter as default
};
