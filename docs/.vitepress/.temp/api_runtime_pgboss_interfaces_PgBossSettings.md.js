import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PgBossSettings","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/pgboss/interfaces/PgBossSettings.md","filePath":"api/runtime/pgboss/interfaces/PgBossSettings.md"}');
const _sfc_main = { name: "api/runtime/pgboss/interfaces/PgBossSettings.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-pgbosssettings" tabindex="-1">Interface: PgBossSettings <a class="header-anchor" href="#interface-pgbosssettings" aria-label="Permalink to &quot;Interface: PgBossSettings&quot;">​</a></h1><p>Settings of a pg-boss instance.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-connectionstring"></a> <code>connectionString?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Connection string of the database.</td></tr><tr><td><a id="property-db"></a> <code>db?</code></td><td><code>readonly</code></td><td><a href="./PgBossDatabase"><code>PgBossDatabase</code></a></td><td>Database of the caller.</td></tr><tr><td><a id="property-max"></a> <code>max?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of connections.</td></tr><tr><td><a id="property-migrate"></a> <code>migrate</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether pg-boss creates its tables, and changes tables of older versions.</td></tr><tr><td><a id="property-monitorintervalseconds"></a> <code>monitorIntervalSeconds</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Interval at which pg-boss looks for jobs without heartbeats, in seconds.</td></tr><tr><td><a id="property-registerinstance"></a> <code>registerInstance</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether pg-boss lists the process in a table.</td></tr><tr><td><a id="property-schedule"></a> <code>schedule</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether pg-boss executes schedules.</td></tr><tr><td><a id="property-schema"></a> <code>schema</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Schema of the tables of pg-boss.</td></tr><tr><td><a id="property-superviseintervalseconds"></a> <code>superviseIntervalSeconds</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Interval at which pg-boss looks for maintenance to do, in seconds.</td></tr><tr><td><a id="property-uselistennotify"></a> <code>useListenNotify</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether new jobs wake the workers.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/pgboss/interfaces/PgBossSettings.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PgBossSettings = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PgBossSettings as default
};
