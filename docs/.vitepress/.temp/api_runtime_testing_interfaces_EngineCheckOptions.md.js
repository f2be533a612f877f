import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: EngineCheckOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/testing/interfaces/EngineCheckOptions.md","filePath":"api/runtime/testing/interfaces/EngineCheckOptions.md"}');
const _sfc_main = { name: "api/runtime/testing/interfaces/EngineCheckOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-enginecheckoptions" tabindex="-1">Interface: EngineCheckOptions <a class="header-anchor" href="#interface-enginecheckoptions" aria-label="Permalink to &quot;Interface: EngineCheckOptions&quot;">​</a></h1><p>Options for <a href="./EngineCheck#run"><code>EngineCheck.run</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-timeoutms"></a> <code>timeoutMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time that the check may take, in milliseconds. A check that takes longer fails. <strong>Default</strong> <code>{30_000}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/testing/interfaces/EngineCheckOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const EngineCheckOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  EngineCheckOptions as default
};
