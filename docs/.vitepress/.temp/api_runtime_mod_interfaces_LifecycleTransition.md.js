import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: LifecycleTransition","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/LifecycleTransition.md","filePath":"api/runtime/mod/interfaces/LifecycleTransition.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/LifecycleTransition.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-lifecycletransition" tabindex="-1">Interface: LifecycleTransition <a class="header-anchor" href="#interface-lifecycletransition" aria-label="Permalink to &quot;Interface: LifecycleTransition&quot;">​</a></h1><p>A transition between two states.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-from"></a> <code>from</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/AgentLifecycleState"><code>AgentLifecycleState</code></a></td><td>State before the transition.</td></tr><tr><td><a id="property-to"></a> <code>to</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/AgentLifecycleState"><code>AgentLifecycleState</code></a></td><td>State after the transition.</td></tr><tr><td><a id="property-trigger"></a> <code>trigger</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/LifecycleTrigger"><code>LifecycleTrigger</code></a></td><td>Operation or event that caused the transition.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/LifecycleTransition.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const LifecycleTransition = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  LifecycleTransition as default
};
