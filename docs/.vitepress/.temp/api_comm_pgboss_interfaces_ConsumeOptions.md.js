import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ConsumeOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/pgboss/interfaces/ConsumeOptions.md","filePath":"api/comm/pgboss/interfaces/ConsumeOptions.md"}');
const _sfc_main = { name: "api/comm/pgboss/interfaces/ConsumeOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-consumeoptions" tabindex="-1">Interface: ConsumeOptions <a class="header-anchor" href="#interface-consumeoptions" aria-label="Permalink to &quot;Interface: ConsumeOptions&quot;">​</a></h1><p>Options for <code>consume</code> of a <a href="./MessageQueue"><code>MessageQueue</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-concurrency"></a> <code>concurrency?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of messages that the handler processes at the same time. <strong>Default</strong> <code>{8}</code></td></tr><tr><td><a id="property-signal"></a> <code>signal?</code></td><td><code>readonly</code></td><td><code>AbortSignal</code></td><td>Stops the consumer. The signals of the deliveries in progress are then aborted.</td></tr><tr><td><a id="property-transactional"></a> <code>transactional?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether each message is acknowledged in a transaction that the handler can use, as <code>tx</code> of the delivery. Supported only by queues in a database. <strong>Default</strong> <code>{false}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/pgboss/interfaces/ConsumeOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ConsumeOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ConsumeOptions as default
};
