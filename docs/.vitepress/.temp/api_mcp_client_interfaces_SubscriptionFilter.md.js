import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: SubscriptionFilter","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/client/interfaces/SubscriptionFilter.md","filePath":"api/mcp/client/interfaces/SubscriptionFilter.md"}');
const _sfc_main = { name: "api/mcp/client/interfaces/SubscriptionFilter.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-subscriptionfilter" tabindex="-1">Interface: SubscriptionFilter <a class="header-anchor" href="#interface-subscriptionfilter" aria-label="Permalink to &quot;Interface: SubscriptionFilter&quot;">​</a></h1><p>Changes that a subscription stream reports.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-promptslistchanged"></a> <code>promptsListChanged?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Changes to the list of prompts.</td></tr><tr><td><a id="property-resourceslistchanged"></a> <code>resourcesListChanged?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Changes to the list of resources.</td></tr><tr><td><a id="property-resourcesubscriptions"></a> <code>resourceSubscriptions?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>URIs of the resources whose updates are reported.</td></tr><tr><td><a id="property-toolslistchanged"></a> <code>toolsListChanged?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Changes to the list of tools.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/client/interfaces/SubscriptionFilter.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const SubscriptionFilter = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  SubscriptionFilter as default
};
