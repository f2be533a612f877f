import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: TaskLease","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/tasks/interfaces/TaskLease.md","filePath":"api/mcp/tasks/interfaces/TaskLease.md"}');
const _sfc_main = { name: "api/mcp/tasks/interfaces/TaskLease.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-tasklease" tabindex="-1">Interface: TaskLease <a class="header-anchor" href="#interface-tasklease" aria-label="Permalink to &quot;Interface: TaskLease&quot;">​</a></h1><p>A process&#39;s claim to a task.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-epoch"></a> <code>epoch</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Epoch of the task in which the process obtained the lease.</td></tr><tr><td><a id="property-taskid"></a> <code>taskId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Task id.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/tasks/interfaces/TaskLease.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const TaskLease = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  TaskLease as default
};
