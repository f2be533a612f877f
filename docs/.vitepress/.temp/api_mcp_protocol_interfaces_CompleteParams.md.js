import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: CompleteParams","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/CompleteParams.md","filePath":"api/mcp/protocol/interfaces/CompleteParams.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/CompleteParams.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-completeparams" tabindex="-1">Interface: CompleteParams <a class="header-anchor" href="#interface-completeparams" aria-label="Permalink to &quot;Interface: CompleteParams&quot;">​</a></h1><p>Parameters for <code>completion/complete</code>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-argument"></a> <code>argument</code></td><td><code>readonly</code></td><td><code>object</code></td><td>Name of the argument, and the text that the user has typed so far.</td></tr><tr><td><code>argument.name</code></td><td><code>readonly</code></td><td><code>string</code></td><td>-</td></tr><tr><td><code>argument.value</code></td><td><code>readonly</code></td><td><code>string</code></td><td>-</td></tr><tr><td><a id="property-context"></a> <code>context?</code></td><td><code>readonly</code></td><td><code>object</code></td><td>Values already chosen for other arguments.</td></tr><tr><td><code>context.arguments?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>string</code>&gt;&gt;</td><td>-</td></tr><tr><td><a id="property-ref"></a> <code>ref</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/CompletionReference"><code>CompletionReference</code></a></td><td>Reference to the prompt, resource or resource template that has the argument.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/CompleteParams.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const CompleteParams = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  CompleteParams as default
};
