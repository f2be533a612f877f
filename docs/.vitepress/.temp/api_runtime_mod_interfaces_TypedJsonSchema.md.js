import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: TypedJsonSchema<T>","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extends","slug":"extends","link":"#extends","children":[]},{"level":2,"title":"Type Parameters","slug":"type-parameters","link":"#type-parameters","children":[]},{"level":2,"title":"Indexable","slug":"indexable","link":"#indexable","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/TypedJsonSchema.md","filePath":"api/runtime/mod/interfaces/TypedJsonSchema.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/TypedJsonSchema.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-typedjsonschema-t" tabindex="-1">Interface: TypedJsonSchema&lt;T&gt; <a class="header-anchor" href="#interface-typedjsonschema-t" aria-label="Permalink to &quot;Interface: TypedJsonSchema\\&lt;T\\&gt;&quot;">​</a></h1><p>A JSON Schema with the TypeScript type of the values that it accepts. The type is not part of the data: at run time, the object is the plain JSON Schema.</p><h2 id="extends" tabindex="-1">Extends <a class="header-anchor" href="#extends" aria-label="Permalink to &quot;Extends&quot;">​</a></h2><ul><li><a href="./../type-aliases/JsonSchema"><code>JsonSchema</code></a></li></ul><h2 id="type-parameters" tabindex="-1">Type Parameters <a class="header-anchor" href="#type-parameters" aria-label="Permalink to &quot;Type Parameters&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Type Parameter</th><th>Default type</th><th>Description</th></tr></thead><tbody><tr><td><a id="type-parameter-t"></a> <code>T</code></td><td><code>unknown</code></td><td>Type of the values that the schema accepts.</td></tr></tbody></table><h2 id="indexable" tabindex="-1">Indexable <a class="header-anchor" href="#indexable" aria-label="Permalink to &quot;Indexable&quot;">​</a></h2><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">[keyword: string]: unknown</span></span></code></pre></div><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-schema_type"></a> <code>[SCHEMA_TYPE]?</code></td><td><code>readonly</code></td><td>() =&gt; <code>T</code></td><td>Type of the values. The member exists only in types, not at run time.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/TypedJsonSchema.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const TypedJsonSchema = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  TypedJsonSchema as default
};
