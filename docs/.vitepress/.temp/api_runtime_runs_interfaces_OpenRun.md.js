import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: OpenRun","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/runs/interfaces/OpenRun.md","filePath":"api/runtime/runs/interfaces/OpenRun.md"}');
const _sfc_main = { name: "api/runtime/runs/interfaces/OpenRun.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-openrun" tabindex="-1">Interface: OpenRun <a class="header-anchor" href="#interface-openrun" aria-label="Permalink to &quot;Interface: OpenRun&quot;">​</a></h1><p>A run that a worker has opened.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-run"></a> <code>run</code></td><td><code>readonly</code></td><td><a href="./RunRecord"><code>RunRecord</code></a></td><td>The run, with its new epoch.</td></tr><tr><td><a id="property-signals"></a> <code>signals</code></td><td><code>readonly</code></td><td><code>ReadonlyMap</code>&lt;<code>string</code>, <a href="./../../mod/type-aliases/JsonValue"><code>JsonValue</code></a>&gt;</td><td>All signals of the run, by key.</td></tr><tr><td><a id="property-steps"></a> <code>steps</code></td><td><code>readonly</code></td><td><code>ReadonlyMap</code>&lt;<code>string</code>, <a href="./../../journal/interfaces/JournalEntry"><code>JournalEntry</code></a>&gt;</td><td>All recorded steps, by key.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/runs/interfaces/OpenRun.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const OpenRun = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  OpenRun as default
};
