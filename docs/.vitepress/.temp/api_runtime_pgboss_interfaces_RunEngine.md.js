import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RunEngine","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extends","slug":"extends","link":"#extends","children":[]},{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/pgboss/interfaces/RunEngine.md","filePath":"api/runtime/pgboss/interfaces/RunEngine.md"}');
const _sfc_main = { name: "api/runtime/pgboss/interfaces/RunEngine.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-runengine" tabindex="-1">Interface: RunEngine <a class="header-anchor" href="#interface-runengine" aria-label="Permalink to &quot;Interface: RunEngine&quot;">​</a></h1><p>A journal and a queue that work together. Disposing the engine stops its workers and closes its storage.</p><h2 id="extends" tabindex="-1">Extends <a class="header-anchor" href="#extends" aria-label="Permalink to &quot;Extends&quot;">​</a></h2><ul><li><code>AsyncDisposable</code></li></ul><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./PgBossRuns"><code>PgBossRuns</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-journal"></a> <code>journal</code></td><td><code>readonly</code></td><td><a href="./../../runs/interfaces/RunJournal"><code>RunJournal</code></a></td><td>Stores the runs.</td></tr><tr><td><a id="property-queue"></a> <code>queue</code></td><td><code>readonly</code></td><td><a href="./../../runs/interfaces/RunQueue"><code>RunQueue</code></a></td><td>Delivers the runs.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/pgboss/interfaces/RunEngine.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RunEngine = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RunEngine as default
};
