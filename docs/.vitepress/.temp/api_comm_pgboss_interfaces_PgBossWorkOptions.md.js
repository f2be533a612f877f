import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PgBossWorkOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/pgboss/interfaces/PgBossWorkOptions.md","filePath":"api/comm/pgboss/interfaces/PgBossWorkOptions.md"}');
const _sfc_main = { name: "api/comm/pgboss/interfaces/PgBossWorkOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-pgbossworkoptions" tabindex="-1">Interface: PgBossWorkOptions <a class="header-anchor" href="#interface-pgbossworkoptions" aria-label="Permalink to &quot;Interface: PgBossWorkOptions&quot;">​</a></h1><p>Settings of a worker.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-batchsize"></a> <code>batchSize</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of jobs that the worker fetches at a time.</td></tr><tr><td><a id="property-heartbeatrefreshseconds"></a> <code>heartbeatRefreshSeconds</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time between two heartbeats, in seconds.</td></tr><tr><td><a id="property-notifypollingintervalseconds"></a> <code>notifyPollingIntervalSeconds</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time between two fetches while notifications are received, in seconds.</td></tr><tr><td><a id="property-perjobresults"></a> <code>perJobResults</code></td><td><code>readonly</code></td><td><code>true</code></td><td>Whether the worker returns a result for each job.</td></tr><tr><td><a id="property-pollingintervalseconds"></a> <code>pollingIntervalSeconds</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time between two fetches, in seconds.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/pgboss/interfaces/PgBossWorkOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PgBossWorkOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PgBossWorkOptions as default
};
