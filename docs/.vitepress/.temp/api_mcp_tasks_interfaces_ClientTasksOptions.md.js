import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ClientTasksOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/tasks/interfaces/ClientTasksOptions.md","filePath":"api/mcp/tasks/interfaces/ClientTasksOptions.md"}');
const _sfc_main = { name: "api/mcp/tasks/interfaces/ClientTasksOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-clienttasksoptions" tabindex="-1">Interface: ClientTasksOptions <a class="header-anchor" href="#interface-clienttasksoptions" aria-label="Permalink to &quot;Interface: ClientTasksOptions&quot;">​</a></h1><p>Options for <a href="./../functions/clientTasks"><code>clientTasks</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-maxinputrequests"></a> <code>maxInputRequests?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of input requests per task. If a task sends more input requests, the call fails. <strong>Default</strong> <code>{100}</code></td></tr><tr><td><a id="property-maxretries"></a> <code>maxRetries?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of retries for a request that fails with <code>transport_error</code> or <code>connection_failed</code>. <strong>Default</strong> <code>{3}</code></td></tr><tr><td><a id="property-minpollms"></a> <code>minPollMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Minimum polling interval, in milliseconds. A shorter interval recommended by the server is ignored. <strong>Default</strong> <code>{100}</code></td></tr><tr><td><a id="property-onchange"></a> <code>onChange?</code></td><td><code>readonly</code></td><td>(<code>task</code>) =&gt; <code>void</code></td><td>Called with each new task and after each poll. Save the task id to resume the task later.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/tasks/interfaces/ClientTasksOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ClientTasksOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ClientTasksOptions as default
};
