import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ServePipeOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/server/interfaces/ServePipeOptions.md","filePath":"api/mcp/server/interfaces/ServePipeOptions.md"}');
const _sfc_main = { name: "api/mcp/server/interfaces/ServePipeOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-servepipeoptions" tabindex="-1">Interface: ServePipeOptions <a class="header-anchor" href="#interface-servepipeoptions" aria-label="Permalink to &quot;Interface: ServePipeOptions&quot;">​</a></h1><p>Options for <a href="./../../mod/functions/servePipe"><code>servePipe</code></a>.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./../../mod/interfaces/ServeStdioOptions"><code>ServeStdioOptions</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-draintimeoutms"></a> <code>drainTimeoutMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time allowed for in-flight requests to complete after the end of the input, in milliseconds. Requests still in flight after this time are aborted. <strong>Default</strong> <code>{2000}</code></td></tr><tr><td><a id="property-inputtimeoutms"></a> <code>inputTimeoutMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Timeout for the client&#39;s response to a server request in a legacy session, in milliseconds. <strong>Default</strong> <code>{600_000}</code></td></tr><tr><td><a id="property-maxconcurrent"></a> <code>maxConcurrent?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of concurrently handled requests. Further requests are queued. <strong>Default</strong> <code>{100}</code></td></tr><tr><td><a id="property-maxqueued"></a> <code>maxQueued?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of queued requests. Further requests receive error -32603. <strong>Default</strong> <code>{1000}</code></td></tr><tr><td><a id="property-maxresourcesubscriptions"></a> <code>maxResourceSubscriptions?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of resource subscriptions in a legacy session. <strong>Default</strong> <code>{1000}</code></td></tr><tr><td><a id="property-signal"></a> <code>signal?</code></td><td><code>readonly</code></td><td><code>AbortSignal</code></td><td>Signal that stops serving when it is aborted.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/server/interfaces/ServePipeOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ServePipeOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ServePipeOptions as default
};
