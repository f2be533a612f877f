import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PgBossQueueSettings","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/pgboss/interfaces/PgBossQueueSettings.md","filePath":"api/runtime/pgboss/interfaces/PgBossQueueSettings.md"}');
const _sfc_main = { name: "api/runtime/pgboss/interfaces/PgBossQueueSettings.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-pgbossqueuesettings" tabindex="-1">Interface: PgBossQueueSettings <a class="header-anchor" href="#interface-pgbossqueuesettings" aria-label="Permalink to &quot;Interface: PgBossQueueSettings&quot;">​</a></h1><p>Settings of a queue.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-deadletter"></a> <code>deadLetter?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Queue for copies of the jobs that were delivered too often.</td></tr><tr><td><a id="property-deleteafterseconds"></a> <code>deleteAfterSeconds</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time for which a job that has ended is kept, in seconds.</td></tr><tr><td><a id="property-expireinseconds"></a> <code>expireInSeconds</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum time of a delivery, in seconds.</td></tr><tr><td><a id="property-heartbeatseconds"></a> <code>heartbeatSeconds?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time without a heartbeat after which a job is delivered again, in seconds.</td></tr><tr><td><a id="property-notify"></a> <code>notify</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether new jobs in the queue wake the workers.</td></tr><tr><td><a id="property-policy"></a> <code>policy</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Policy that determines which jobs are delivered at the same time.</td></tr><tr><td><a id="property-retentionseconds"></a> <code>retentionSeconds</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time for which a job that no worker fetches is kept, in seconds.</td></tr><tr><td><a id="property-retrydelay"></a> <code>retryDelay</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Delay before a job is delivered again, in seconds.</td></tr><tr><td><a id="property-retrylimit"></a> <code>retryLimit</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of deliveries after the first one.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/pgboss/interfaces/PgBossQueueSettings.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PgBossQueueSettings = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PgBossQueueSettings as default
};
