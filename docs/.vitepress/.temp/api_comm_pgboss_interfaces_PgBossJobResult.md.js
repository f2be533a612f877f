import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PgBossJobResult","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/pgboss/interfaces/PgBossJobResult.md","filePath":"api/comm/pgboss/interfaces/PgBossJobResult.md"}');
const _sfc_main = { name: "api/comm/pgboss/interfaces/PgBossJobResult.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-pgbossjobresult" tabindex="-1">Interface: PgBossJobResult <a class="header-anchor" href="#interface-pgbossjobresult" aria-label="Permalink to &quot;Interface: PgBossJobResult&quot;">​</a></h1><p>Result of a job.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-id"></a> <code>id</code></td><td><code>public</code></td><td><code>string</code></td><td>UUID of the job.</td></tr><tr><td><a id="property-output"></a> <code>output?</code></td><td><code>public</code></td><td><code>object</code></td><td>Why the job has failed.</td></tr><tr><td><code>output.reason</code></td><td><code>readonly</code></td><td><code>string</code></td><td>-</td></tr><tr><td><a id="property-status"></a> <code>status</code></td><td><code>public</code></td><td><code>&quot;failed&quot;</code> | <code>&quot;completed&quot;</code></td><td>Whether the job is completed or must be retried.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/pgboss/interfaces/PgBossJobResult.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PgBossJobResult = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PgBossJobResult as default
};
