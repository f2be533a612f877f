import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: TaskWatcher","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/tasks/interfaces/TaskWatcher.md","filePath":"api/mcp/tasks/interfaces/TaskWatcher.md"}');
const _sfc_main = { name: "api/mcp/tasks/interfaces/TaskWatcher.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-taskwatcher" tabindex="-1">Interface: TaskWatcher <a class="header-anchor" href="#interface-taskwatcher" aria-label="Permalink to &quot;Interface: TaskWatcher&quot;">​</a></h1><p>Callbacks of <a href="./TaskStore#watch"><code>TaskStore.watch</code></a>. They may be called late, repeatedly, and for any task.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-onchange"></a> <code>onChange</code></td><td><code>readonly</code></td><td>(<code>taskId</code>) =&gt; <code>void</code></td><td>Called after a task has been stored.</td></tr><tr><td><a id="property-onsignal"></a> <code>onSignal</code></td><td><code>readonly</code></td><td>(<code>taskId</code>) =&gt; <code>void</code></td><td>Called after a signal has been stored.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/tasks/interfaces/TaskWatcher.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const TaskWatcher = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  TaskWatcher as default
};
