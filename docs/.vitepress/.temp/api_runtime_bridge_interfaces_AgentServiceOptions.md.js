import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: AgentServiceOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/bridge/interfaces/AgentServiceOptions.md","filePath":"api/runtime/bridge/interfaces/AgentServiceOptions.md"}');
const _sfc_main = { name: "api/runtime/bridge/interfaces/AgentServiceOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-agentserviceoptions" tabindex="-1">Interface: AgentServiceOptions <a class="header-anchor" href="#interface-agentserviceoptions" aria-label="Permalink to &quot;Interface: AgentServiceOptions&quot;">​</a></h1><p>Options for <a href="./../functions/agentService"><code>agentService</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-agent"></a> <code>agent</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the agent that executes the tasks, as in openRuns.</td></tr><tr><td><a id="property-maxcontentchars"></a> <code>maxContentChars?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum length of a task, in characters. Longer tasks are rejected. <strong>Default</strong> <code>{100_000}</code></td></tr><tr><td><a id="property-oncancel"></a> <code>onCancel?</code></td><td><code>readonly</code></td><td><code>&quot;continue&quot;</code> | <code>&quot;cancel&quot;</code></td><td>What happens to the run if the requester cancels its request. Use <code>&quot;continue&quot;</code> if the requester is itself a durable run: when its worker is stopped, the request is canceled, and the next worker sends the same task again. A request that ends for another reason, such as a lost connection, never cancels the run. <strong>Default</strong> <code>{&quot;cancel&quot;}</code></td></tr><tr><td><a id="property-updatems"></a> <code>updateMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time between two updates to the requester, in milliseconds; from 1 to 2^31 - 1. An update restarts the requester&#39;s timeout. <strong>Default</strong> <code>{15_000}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/bridge/interfaces/AgentServiceOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const AgentServiceOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  AgentServiceOptions as default
};
