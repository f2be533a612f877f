import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: TaskMetadata","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/tasks/interfaces/TaskMetadata.md","filePath":"api/mcp/tasks/interfaces/TaskMetadata.md"}');
const _sfc_main = { name: "api/mcp/tasks/interfaces/TaskMetadata.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-taskmetadata" tabindex="-1">Interface: TaskMetadata <a class="header-anchor" href="#interface-taskmetadata" aria-label="Permalink to &quot;Interface: TaskMetadata&quot;">​</a></h1><p>Members of a task that do not depend on its status.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-createdat"></a> <code>createdAt</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Creation time, as an ISO 8601 timestamp.</td></tr><tr><td><a id="property-lastupdatedat"></a> <code>lastUpdatedAt</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Time of the last change, as an ISO 8601 timestamp.</td></tr><tr><td><a id="property-pollintervalms"></a> <code>pollIntervalMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Recommended polling interval, in milliseconds.</td></tr><tr><td><a id="property-statusmessage"></a> <code>statusMessage?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>User-facing description of the current state.</td></tr><tr><td><a id="property-taskid"></a> <code>taskId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Unguessable task id.</td></tr><tr><td><a id="property-ttlms"></a> <code>ttlMs</code></td><td><code>readonly</code></td><td><code>number</code> | <code>null</code></td><td>Time to live after creation, in milliseconds. If <code>null</code>, the task does not expire.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/tasks/interfaces/TaskMetadata.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const TaskMetadata = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  TaskMetadata as default
};
