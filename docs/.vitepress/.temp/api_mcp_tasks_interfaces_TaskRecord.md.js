import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: TaskRecord","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/tasks/interfaces/TaskRecord.md","filePath":"api/mcp/tasks/interfaces/TaskRecord.md"}');
const _sfc_main = { name: "api/mcp/tasks/interfaces/TaskRecord.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-taskrecord" tabindex="-1">Interface: TaskRecord <a class="header-anchor" href="#interface-taskrecord" aria-label="Permalink to &quot;Interface: TaskRecord&quot;">​</a></h1><p>A stored task. All members are JSON values.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-epoch"></a> <code>epoch</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of takeovers of the task: 0 for the process that created the task. A process whose epoch is not the stored epoch can no longer change the task.</td></tr><tr><td><a id="property-expiresat"></a> <code>expiresAt</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Expiry time, in milliseconds since the epoch.</td></tr><tr><td><a id="property-subject"></a> <code>subject?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Subject of the principal that owns the task. Absent if requests are not authenticated.</td></tr><tr><td><a id="property-task"></a> <code>task</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/Task"><code>Task</code></a></td><td>Task, as sent to clients.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/tasks/interfaces/TaskRecord.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const TaskRecord = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  TaskRecord as default
};
