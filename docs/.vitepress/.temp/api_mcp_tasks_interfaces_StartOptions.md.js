import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: StartOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/tasks/interfaces/StartOptions.md","filePath":"api/mcp/tasks/interfaces/StartOptions.md"}');
const _sfc_main = { name: "api/mcp/tasks/interfaces/StartOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-startoptions" tabindex="-1">Interface: StartOptions <a class="header-anchor" href="#interface-startoptions" aria-label="Permalink to &quot;Interface: StartOptions&quot;">​</a></h1><p>Options for <code>ServerTasks.start</code>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-required"></a> <code>required?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the call must become a task. If <code>true</code>, clients that do not support tasks receive error -32021. If <code>false</code> or omitted, these clients wait for the result. <strong>Default</strong> <code>{false}</code></td></tr><tr><td><a id="property-statusmessage"></a> <code>statusMessage?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Initial user-facing status message.</td></tr><tr><td><a id="property-ttlms"></a> <code>ttlMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time to live of this task, in milliseconds. If omitted, <a href="./ServerTasksOptions#property-ttlms"><code>ServerTasksOptions.ttlMs</code></a> is used.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/tasks/interfaces/StartOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const StartOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  StartOptions as default
};
