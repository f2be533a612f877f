import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: HealthSnapshot","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/HealthSnapshot.md","filePath":"api/runtime/mod/interfaces/HealthSnapshot.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/HealthSnapshot.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-healthsnapshot" tabindex="-1">Interface: HealthSnapshot <a class="header-anchor" href="#interface-healthsnapshot" aria-label="Permalink to &quot;Interface: HealthSnapshot&quot;">​</a></h1><p>A snapshot of the counters in a <a href="./../classes/HealthProfile"><code>HealthProfile</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-delegatedusage"></a> <code>delegatedUsage</code></td><td><code>readonly</code></td><td><a href="./TokenUsage"><code>TokenUsage</code></a></td><td>Token usage of sub-agents.</td></tr><tr><td><a id="property-errors"></a> <code>errors</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of failed model calls, tool executions and approval handler calls.</td></tr><tr><td><a id="property-inferencecalls"></a> <code>inferenceCalls</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of model calls, including retries.</td></tr><tr><td><a id="property-toolinvocations"></a> <code>toolInvocations</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of started tool executions. Denied calls, calls with invalid input and calls to unknown tools are not counted.</td></tr><tr><td><a id="property-usage"></a> <code>usage</code></td><td><code>readonly</code></td><td><a href="./TokenUsage"><code>TokenUsage</code></a></td><td>Token usage of the agent&#39;s own model calls.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/HealthSnapshot.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const HealthSnapshot = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  HealthSnapshot as default
};
