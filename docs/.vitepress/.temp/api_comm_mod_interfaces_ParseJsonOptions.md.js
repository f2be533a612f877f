import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ParseJsonOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/mod/interfaces/ParseJsonOptions.md","filePath":"api/comm/mod/interfaces/ParseJsonOptions.md"}');
const _sfc_main = { name: "api/comm/mod/interfaces/ParseJsonOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-parsejsonoptions" tabindex="-1">Interface: ParseJsonOptions <a class="header-anchor" href="#interface-parsejsonoptions" aria-label="Permalink to &quot;Interface: ParseJsonOptions&quot;">​</a></h1><p>Options for <a href="./../functions/parseJson"><code>parseJson</code></a>.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./ParseMessageOptions"><code>ParseMessageOptions</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-maxbytes"></a> <code>maxBytes?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum size of the input, in UTF-8 bytes. <strong>Default</strong> <code>{1_048_576}</code></td></tr><tr><td><a id="property-maxdepth"></a> <code>maxDepth?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum nesting depth of objects and arrays, from 1 to 1000. <strong>Default</strong> <code>{128}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/mod/interfaces/ParseJsonOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ParseJsonOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ParseJsonOptions as default
};
