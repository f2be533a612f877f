import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PgBossSendOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/pgboss/interfaces/PgBossSendOptions.md","filePath":"api/runtime/pgboss/interfaces/PgBossSendOptions.md"}');
const _sfc_main = { name: "api/runtime/pgboss/interfaces/PgBossSendOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-pgbosssendoptions" tabindex="-1">Interface: PgBossSendOptions <a class="header-anchor" href="#interface-pgbosssendoptions" aria-label="Permalink to &quot;Interface: PgBossSendOptions&quot;">​</a></h1><p>Settings of a job.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-db"></a> <code>db?</code></td><td><code>readonly</code></td><td><a href="./PgBossDatabase"><code>PgBossDatabase</code></a></td><td>Transaction of the caller.</td></tr><tr><td><a id="property-id"></a> <code>id?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the job, a UUID.</td></tr><tr><td><a id="property-singletonkey"></a> <code>singletonKey</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Key of the job. In a queue with the policy <code>key_strict_fifo</code>, one job with a key is delivered at a time.</td></tr><tr><td><a id="property-startafter"></a> <code>startAfter?</code></td><td><code>readonly</code></td><td><code>number</code> | <code>Date</code></td><td>Delay in seconds, or earliest time of the delivery.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/pgboss/interfaces/PgBossSendOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PgBossSendOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PgBossSendOptions as default
};
