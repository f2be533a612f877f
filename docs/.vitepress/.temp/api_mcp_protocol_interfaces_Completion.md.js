import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: Completion","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/Completion.md","filePath":"api/mcp/protocol/interfaces/Completion.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/Completion.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-completion" tabindex="-1">Interface: Completion <a class="header-anchor" href="#interface-completion" aria-label="Permalink to &quot;Interface: Completion&quot;">​</a></h1><p>Suggested values for an argument.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-hasmore"></a> <code>hasMore?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether there are more suggestions than those in <code>values</code>.</td></tr><tr><td><a id="property-total"></a> <code>total?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Total number of suggestions, including those not in <code>values</code>.</td></tr><tr><td><a id="property-values"></a> <code>values</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Up to 100 suggested values, most relevant first.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/Completion.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Completion = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Completion as default
};
