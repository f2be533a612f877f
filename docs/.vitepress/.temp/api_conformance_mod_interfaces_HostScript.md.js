import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: HostScript","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/conformance/mod/interfaces/HostScript.md","filePath":"api/conformance/mod/interfaces/HostScript.md"}');
const _sfc_main = { name: "api/conformance/mod/interfaces/HostScript.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-hostscript" tabindex="-1">Interface: HostScript <a class="header-anchor" href="#interface-hostscript" aria-label="Permalink to &quot;Interface: HostScript&quot;">​</a></h1><p>The scripted environment for a loop case.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-approvals"></a> <code>approvals?</code></td><td><code>readonly</code></td><td><code>object</code></td><td>Approval handlers by name, each with its decisions in order.</td></tr><tr><td><a id="property-conditions"></a> <code>conditions?</code></td><td><code>readonly</code></td><td><code>object</code></td><td>Stop conditions by name, each with its responses in order.</td></tr><tr><td><a id="property-initializers"></a> <code>initializers?</code></td><td><code>readonly</code></td><td><code>object</code></td><td>Initialization callbacks of agents by name, each with its responses in order.</td></tr><tr><td><a id="property-invariants"></a> <code>invariants?</code></td><td><code>readonly</code></td><td>readonly <code>&quot;transcript&quot;</code>[]</td><td>Rules that are checked on each model request and output. <strong>Default</strong> <code>{[&quot;transcript&quot;]}</code></td></tr><tr><td><a id="property-models"></a> <code>models?</code></td><td><code>readonly</code></td><td><code>object</code></td><td>Models by name, each with its turns in order.</td></tr><tr><td><a id="property-routers"></a> <code>routers?</code></td><td><code>readonly</code></td><td><code>object</code></td><td>Routers by name, each with its responses in order.</td></tr><tr><td><a id="property-tools"></a> <code>tools?</code></td><td><code>readonly</code></td><td><code>object</code></td><td>Tools by name, each with its responses in order.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/mod/interfaces/HostScript.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const HostScript = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  HostScript as default
};
