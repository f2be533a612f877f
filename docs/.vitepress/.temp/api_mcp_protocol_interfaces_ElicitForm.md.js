import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ElicitForm","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/protocol/interfaces/ElicitForm.md","filePath":"api/mcp/protocol/interfaces/ElicitForm.md"}');
const _sfc_main = { name: "api/mcp/protocol/interfaces/ElicitForm.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-elicitform" tabindex="-1">Interface: ElicitForm <a class="header-anchor" href="#interface-elicitform" aria-label="Permalink to &quot;Interface: ElicitForm&quot;">​</a></h1><p>Parameters for form mode elicitation.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-message"></a> <code>message</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Message shown to the user with the form.</td></tr><tr><td><a id="property-mode"></a> <code>mode?</code></td><td><code>readonly</code></td><td><code>&quot;form&quot;</code></td><td>Elicitation mode. If omitted, the mode is <code>form</code>.</td></tr><tr><td><a id="property-requestedschema"></a> <code>requestedSchema</code></td><td><code>readonly</code></td><td><a href="./../../mod/type-aliases/JsonObject"><code>JsonObject</code></a></td><td>JSON Schema for the form. The schema must describe an object whose properties are strings, numbers, booleans or enumerations.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/protocol/interfaces/ElicitForm.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ElicitForm = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ElicitForm as default
};
