import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PgBossSettings","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/pgboss/interfaces/PgBossSettings.md","filePath":"api/comm/pgboss/interfaces/PgBossSettings.md"}');
const _sfc_main = { name: "api/comm/pgboss/interfaces/PgBossSettings.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-pgbosssettings" tabindex="-1">Interface: PgBossSettings <a class="header-anchor" href="#interface-pgbosssettings" aria-label="Permalink to &quot;Interface: PgBossSettings&quot;">​</a></h1><p>Settings of a pg-boss instance.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-connectionstring"></a> <code>connectionString</code></td><td><code>readonly</code></td><td><code>string</code></td><td>URL of the database.</td></tr><tr><td><a id="property-max"></a> <code>max</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of connections.</td></tr><tr><td><a id="property-monitorintervalseconds"></a> <code>monitorIntervalSeconds</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time between two searches for expired jobs, in seconds.</td></tr><tr><td><a id="property-registerinstance"></a> <code>registerInstance</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the instance is listed in the database.</td></tr><tr><td><a id="property-schedule"></a> <code>schedule</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the instance creates the jobs of schedules.</td></tr><tr><td><a id="property-schema"></a> <code>schema</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Schema of the tables.</td></tr><tr><td><a id="property-superviseintervalseconds"></a> <code>superviseIntervalSeconds</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time between two passes of the maintenance, in seconds.</td></tr><tr><td><a id="property-uselistennotify"></a> <code>useListenNotify</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether workers receive notifications of new jobs.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/pgboss/interfaces/PgBossSettings.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PgBossSettings = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PgBossSettings as default
};
