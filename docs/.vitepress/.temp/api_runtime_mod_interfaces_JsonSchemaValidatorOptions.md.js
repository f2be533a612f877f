import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: JsonSchemaValidatorOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/JsonSchemaValidatorOptions.md","filePath":"api/runtime/mod/interfaces/JsonSchemaValidatorOptions.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/JsonSchemaValidatorOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-jsonschemavalidatoroptions" tabindex="-1">Interface: JsonSchemaValidatorOptions <a class="header-anchor" href="#interface-jsonschemavalidatoroptions" aria-label="Permalink to &quot;Interface: JsonSchemaValidatorOptions&quot;">​</a></h1><p>Options for <a href="./../functions/jsonSchemaValidator"><code>jsonSchemaValidator</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-maxnodes"></a> <code>maxNodes?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of values, including nested values, in a validated value. A value with more nested values is invalid. <strong>Default</strong> <code>{200_000}</code></td></tr><tr><td><a id="property-maxpatternlength"></a> <code>maxPatternLength?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum length of a string that is matched against a <code>pattern</code>, in Unicode code points, and of a property name that is matched against <code>patternProperties</code>, in UTF-16 code units. Longer strings and names are invalid, because many patterns take quadratic time. <strong>Default</strong> <code>{10_000}</code></td></tr><tr><td><a id="property-maxuniqueitems"></a> <code>maxUniqueItems?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum length of an array if the schema contains <code>uniqueItems</code>, which takes quadratic time. Longer arrays are invalid. <strong>Default</strong> <code>{1000}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/JsonSchemaValidatorOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const JsonSchemaValidatorOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  JsonSchemaValidatorOptions as default
};
