import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PendingWait","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/PendingWait.md","filePath":"api/runtime/mod/interfaces/PendingWait.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/PendingWait.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-pendingwait" tabindex="-1">Interface: PendingWait <a class="header-anchor" href="#interface-pendingwait" aria-label="Permalink to &quot;Interface: PendingWait&quot;">​</a></h1><p>A signal or a time that a tool waits for. Plain data that can be displayed and stored.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-due"></a> <code>due?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Time at which the tool continues, in ISO 8601 format in UTC. Present if <code>kind</code> is <code>&quot;time&quot;</code>.</td></tr><tr><td><a id="property-key"></a> <code>key</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Key that the tool passed to <code>wait</code> or <code>sleep</code>.</td></tr><tr><td><a id="property-kind"></a> <code>kind</code></td><td><code>readonly</code></td><td><code>&quot;signal&quot;</code> | <code>&quot;time&quot;</code></td><td>Whether the tool waits for a signal (<code>ToolContext.wait</code>) or for a time (<code>ToolContext.sleep</code>).</td></tr><tr><td><a id="property-path"></a> <code>path</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Agent names, from the outermost agent to the agent that executes the tool.</td></tr><tr><td><a id="property-toolcall"></a> <code>toolCall</code></td><td><code>readonly</code></td><td><a href="./ToolCall"><code>ToolCall</code></a></td><td>The tool call.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/PendingWait.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PendingWait = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PendingWait as default
};
