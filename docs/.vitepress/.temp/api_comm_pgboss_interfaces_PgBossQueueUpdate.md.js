import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PgBossQueueUpdate","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/pgboss/interfaces/PgBossQueueUpdate.md","filePath":"api/comm/pgboss/interfaces/PgBossQueueUpdate.md"}');
const _sfc_main = { name: "api/comm/pgboss/interfaces/PgBossQueueUpdate.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-pgbossqueueupdate" tabindex="-1">Interface: PgBossQueueUpdate <a class="header-anchor" href="#interface-pgbossqueueupdate" aria-label="Permalink to &quot;Interface: PgBossQueueUpdate&quot;">​</a></h1><p>Settings of a pg-boss queue that can be changed.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./PgBossQueueSettings"><code>PgBossQueueSettings</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-deleteafterseconds"></a> <code>deleteAfterSeconds</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time for which completed jobs are kept, in seconds.</td></tr><tr><td><a id="property-expireinseconds"></a> <code>expireInSeconds</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum time that a job may take, in seconds.</td></tr><tr><td><a id="property-heartbeatseconds"></a> <code>heartbeatSeconds</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time without a heartbeat after which a job is retried, in seconds.</td></tr><tr><td><a id="property-notify"></a> <code>notify</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether a new job notifies the workers.</td></tr><tr><td><a id="property-retentionseconds"></a> <code>retentionSeconds</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time for which jobs that were not started are kept, in seconds.</td></tr><tr><td><a id="property-retrybackoff"></a> <code>retryBackoff</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the delay doubles with each retry.</td></tr><tr><td><a id="property-retrydelay"></a> <code>retryDelay</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Delay before the first retry, in seconds.</td></tr><tr><td><a id="property-retrydelaymax"></a> <code>retryDelayMax</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum delay before a retry, in seconds.</td></tr><tr><td><a id="property-retrylimit"></a> <code>retryLimit</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of retries.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/pgboss/interfaces/PgBossQueueUpdate.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PgBossQueueUpdate = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PgBossQueueUpdate as default
};
