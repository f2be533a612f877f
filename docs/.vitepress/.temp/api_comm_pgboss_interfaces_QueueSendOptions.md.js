import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: QueueSendOptions<Tx>","description":"","frontmatter":{},"headers":[{"level":2,"title":"Type Parameters","slug":"type-parameters","link":"#type-parameters","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/pgboss/interfaces/QueueSendOptions.md","filePath":"api/comm/pgboss/interfaces/QueueSendOptions.md"}');
const _sfc_main = { name: "api/comm/pgboss/interfaces/QueueSendOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-queuesendoptions-tx" tabindex="-1">Interface: QueueSendOptions&lt;Tx&gt; <a class="header-anchor" href="#interface-queuesendoptions-tx" aria-label="Permalink to &quot;Interface: QueueSendOptions\\&lt;Tx\\&gt;&quot;">​</a></h1><p>Options for <code>send</code> of a <a href="./MessageQueue"><code>MessageQueue</code></a>.</p><h2 id="type-parameters" tabindex="-1">Type Parameters <a class="header-anchor" href="#type-parameters" aria-label="Permalink to &quot;Type Parameters&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Type Parameter</th><th>Default type</th></tr></thead><tbody><tr><td><a id="type-parameter-tx"></a> <code>Tx</code></td><td><code>never</code></td></tr></tbody></table><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-signal"></a> <code>signal?</code></td><td><code>readonly</code></td><td><code>AbortSignal</code></td><td>Aborts the operation. The message might be stored if storing it has already started.</td></tr><tr><td><a id="property-tx"></a> <code>tx?</code></td><td><code>readonly</code></td><td><code>Tx</code></td><td>Transaction of the caller. The message is stored if the transaction is committed. The database must be the queue&#39;s database. If omitted, the message is stored immediately.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/pgboss/interfaces/QueueSendOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const QueueSendOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  QueueSendOptions as default
};
