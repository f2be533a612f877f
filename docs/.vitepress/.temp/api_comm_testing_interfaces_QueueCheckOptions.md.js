import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: QueueCheckOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/testing/interfaces/QueueCheckOptions.md","filePath":"api/comm/testing/interfaces/QueueCheckOptions.md"}');
const _sfc_main = { name: "api/comm/testing/interfaces/QueueCheckOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-queuecheckoptions" tabindex="-1">Interface: QueueCheckOptions <a class="header-anchor" href="#interface-queuecheckoptions" aria-label="Permalink to &quot;Interface: QueueCheckOptions&quot;">​</a></h1><p>Options for <a href="./QueueCheck#run"><code>QueueCheck.run</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-timeoutms"></a> <code>timeoutMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time that the check may take, in milliseconds. A check that takes longer fails. <strong>Default</strong> <code>{30_000}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/testing/interfaces/QueueCheckOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const QueueCheckOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  QueueCheckOptions as default
};
