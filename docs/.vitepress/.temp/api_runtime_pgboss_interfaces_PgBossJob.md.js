import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PgBossJob","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/pgboss/interfaces/PgBossJob.md","filePath":"api/runtime/pgboss/interfaces/PgBossJob.md"}');
const _sfc_main = { name: "api/runtime/pgboss/interfaces/PgBossJob.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-pgbossjob" tabindex="-1">Interface: PgBossJob <a class="header-anchor" href="#interface-pgbossjob" aria-label="Permalink to &quot;Interface: PgBossJob&quot;">​</a></h1><p>A job that a worker has fetched.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-data"></a> <code>data</code></td><td><code>readonly</code></td><td><code>unknown</code></td><td>Content of the job.</td></tr><tr><td><a id="property-id"></a> <code>id</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the job, a UUID.</td></tr><tr><td><a id="property-signal"></a> <code>signal</code></td><td><code>readonly</code></td><td><code>AbortSignal</code></td><td>Aborted when the job was cancelled or is delivered to another worker.</td></tr><tr><td><a id="property-sourceid"></a> <code>sourceId</code></td><td><code>readonly</code></td><td><code>string</code> | <code>null</code></td><td>Id of the original of a dead letter.</td></tr><tr><td><a id="property-sourcename"></a> <code>sourceName</code></td><td><code>readonly</code></td><td><code>string</code> | <code>null</code></td><td>Queue of the original of a dead letter.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/pgboss/interfaces/PgBossJob.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PgBossJob = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PgBossJob as default
};
