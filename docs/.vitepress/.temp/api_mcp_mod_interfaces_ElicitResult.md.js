import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ElicitResult","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/mod/interfaces/ElicitResult.md","filePath":"api/mcp/mod/interfaces/ElicitResult.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/ElicitResult.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-elicitresult" tabindex="-1">Interface: ElicitResult <a class="header-anchor" href="#interface-elicitresult" aria-label="Permalink to &quot;Interface: ElicitResult&quot;">​</a></h1><p>Result of an elicitation.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-action"></a> <code>action</code></td><td><code>readonly</code></td><td><code>&quot;cancel&quot;</code> | <code>&quot;accept&quot;</code> | <code>&quot;decline&quot;</code></td><td>Whether the user accepted or declined the request, or dismissed the dialog.</td></tr><tr><td><a id="property-content"></a> <code>content?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>string</code> | <code>number</code> | <code>boolean</code> | readonly <code>string</code>[]&gt;&gt;</td><td>Form values, if the user accepted the request.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/ElicitResult.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ElicitResult = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ElicitResult as default
};
