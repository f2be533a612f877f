import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PostgresReplayStoreOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/postgres/interfaces/PostgresReplayStoreOptions.md","filePath":"api/comm/postgres/interfaces/PostgresReplayStoreOptions.md"}');
const _sfc_main = { name: "api/comm/postgres/interfaces/PostgresReplayStoreOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-postgresreplaystoreoptions" tabindex="-1">Interface: PostgresReplayStoreOptions <a class="header-anchor" href="#interface-postgresreplaystoreoptions" aria-label="Permalink to &quot;Interface: PostgresReplayStoreOptions&quot;">​</a></h1><p>Options for <a href="./../classes/PostgresReplayStore"><code>PostgresReplayStore</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-db"></a> <code>db</code></td><td><code>readonly</code></td><td><a href="./../../pgboss/interfaces/SqlDatabase"><code>SqlDatabase</code></a></td><td>The database: a pool, or the transaction in which a message is processed. In a transaction, a message is tracked if the transaction is committed.</td></tr><tr><td><a id="property-maxentries"></a> <code>maxEntries?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of entries. Beyond this limit, new messages are rejected. The store counts the entries and deletes expired entries once a minute, so the limit can be exceeded for that time. <strong>Default</strong> <code>{10_000_000}</code></td></tr><tr><td><a id="property-now"></a> <code>now?</code></td><td><code>readonly</code></td><td>() =&gt; <code>number</code></td><td>Returns the current time, in milliseconds. Defaults to <code>Date.now</code>.</td></tr><tr><td><a id="property-reservationms"></a> <code>reservationMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time after which a reservation that was neither committed nor aborted expires, in milliseconds. Must be longer than it takes to process a message. If the process that has reserved a message ends, the message is rejected during this time. <strong>Default</strong> <code>{960_000}</code></td></tr><tr><td><a id="property-table"></a> <code>table?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the table, optionally with a schema, such as <code>agents.replay</code>. <strong>Default</strong> <code>{&quot;parley_replay&quot;}</code></td></tr><tr><td><a id="property-ttlms"></a> <code>ttlMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum time for which a message is tracked, in milliseconds. <strong>Default</strong> <code>{600_000}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/postgres/interfaces/PostgresReplayStoreOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PostgresReplayStoreOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PostgresReplayStoreOptions as default
};
