import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: MemoryTaskStoreOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/tasks/interfaces/MemoryTaskStoreOptions.md","filePath":"api/mcp/tasks/interfaces/MemoryTaskStoreOptions.md"}');
const _sfc_main = { name: "api/mcp/tasks/interfaces/MemoryTaskStoreOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-memorytaskstoreoptions" tabindex="-1">Interface: MemoryTaskStoreOptions <a class="header-anchor" href="#interface-memorytaskstoreoptions" aria-label="Permalink to &quot;Interface: MemoryTaskStoreOptions&quot;">​</a></h1><p>Options for <a href="./../functions/memoryTaskStore"><code>memoryTaskStore</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-maxchars"></a> <code>maxChars?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum total size of all tasks, in characters of their serialized JSON. <strong>Default</strong> <code>{67_108_864}</code></td></tr><tr><td><a id="property-maxshareperprincipal"></a> <code>maxSharePerPrincipal?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum share of <code>maxTasks</code> and <code>maxChars</code> per authenticated principal, greater than 0 and at most 1. <strong>Default</strong> <code>{0.25}</code></td></tr><tr><td><a id="property-maxtasks"></a> <code>maxTasks?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of stored tasks. When the store is full, expired tasks are discarded. If none have expired, new tasks are rejected. <strong>Default</strong> <code>{1000}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/tasks/interfaces/MemoryTaskStoreOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const MemoryTaskStoreOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  MemoryTaskStoreOptions as default
};
