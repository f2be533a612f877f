import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: QueueDelivery<Tx>","description":"","frontmatter":{},"headers":[{"level":2,"title":"Type Parameters","slug":"type-parameters","link":"#type-parameters","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/pgboss/interfaces/QueueDelivery.md","filePath":"api/comm/pgboss/interfaces/QueueDelivery.md"}');
const _sfc_main = { name: "api/comm/pgboss/interfaces/QueueDelivery.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-queuedelivery-tx" tabindex="-1">Interface: QueueDelivery&lt;Tx&gt; <a class="header-anchor" href="#interface-queuedelivery-tx" aria-label="Permalink to &quot;Interface: QueueDelivery\\&lt;Tx\\&gt;&quot;">​</a></h1><p>A delivery of a message to a handler.</p><h2 id="type-parameters" tabindex="-1">Type Parameters <a class="header-anchor" href="#type-parameters" aria-label="Permalink to &quot;Type Parameters&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Type Parameter</th><th>Default type</th><th>Description</th></tr></thead><tbody><tr><td><a id="type-parameter-tx"></a> <code>Tx</code></td><td><code>never</code></td><td>Type of a transaction of the queue&#39;s database.</td></tr></tbody></table><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-attempt"></a> <code>attempt</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of this delivery of the message, from 1.</td></tr><tr><td><a id="property-message"></a> <code>message</code></td><td><code>readonly</code></td><td><a href="./../../mod/classes/AgentCommMessage"><code>AgentCommMessage</code></a></td><td>The message. A queue does not verify messages: see <code>verified</code>.</td></tr><tr><td><a id="property-signal"></a> <code>signal</code></td><td><code>readonly</code></td><td><code>AbortSignal</code></td><td>Aborts when the consumer stops, the handler exceeds the queue&#39;s <code>handlerTimeoutMs</code>, or the queue delivers the message to another consumer. Work after that can be done twice.</td></tr><tr><td><a id="property-tx"></a> <code>tx?</code></td><td><code>readonly</code></td><td><code>Tx</code></td><td>Transaction in which the message is acknowledged, if the consumer is transactional. Statements that the handler executes in the transaction take effect only if the message is acknowledged.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/pgboss/interfaces/QueueDelivery.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const QueueDelivery = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  QueueDelivery as default
};
