import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: TaskLeaseOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/tasks/interfaces/TaskLeaseOptions.md","filePath":"api/mcp/tasks/interfaces/TaskLeaseOptions.md"}');
const _sfc_main = { name: "api/mcp/tasks/interfaces/TaskLeaseOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-taskleaseoptions" tabindex="-1">Interface: TaskLeaseOptions <a class="header-anchor" href="#interface-taskleaseoptions" aria-label="Permalink to &quot;Interface: TaskLeaseOptions&quot;">​</a></h1><p>Options for the functions of <a href="./TaskStore"><code>TaskStore</code></a> that lease tasks.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-leasems"></a> <code>leaseMs</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Duration of the lease from now on, in milliseconds, measured by the clock of the store.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/tasks/interfaces/TaskLeaseOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const TaskLeaseOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  TaskLeaseOptions as default
};
