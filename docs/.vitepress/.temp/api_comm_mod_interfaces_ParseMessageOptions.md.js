import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ParseMessageOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extends","slug":"extends","link":"#extends","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/mod/interfaces/ParseMessageOptions.md","filePath":"api/comm/mod/interfaces/ParseMessageOptions.md"}');
const _sfc_main = { name: "api/comm/mod/interfaces/ParseMessageOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-parsemessageoptions" tabindex="-1">Interface: ParseMessageOptions <a class="header-anchor" href="#interface-parsemessageoptions" aria-label="Permalink to &quot;Interface: ParseMessageOptions&quot;">​</a></h1><p>Options for <a href="./../functions/parseMessage"><code>parseMessage</code></a>.</p><h2 id="extends" tabindex="-1">Extends <a class="header-anchor" href="#extends" aria-label="Permalink to &quot;Extends&quot;">​</a></h2><ul><li><a href="./ParseJsonOptions"><code>ParseJsonOptions</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th><th>Inherited from</th></tr></thead><tbody><tr><td><a id="property-maxbytes"></a> <code>maxBytes?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum size of the input, in UTF-8 bytes. <strong>Default</strong> <code>{1_048_576}</code></td><td><a href="./ParseJsonOptions"><code>ParseJsonOptions</code></a>.<a href="./ParseJsonOptions#property-maxbytes"><code>maxBytes</code></a></td></tr><tr><td><a id="property-maxdepth"></a> <code>maxDepth?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum nesting depth of objects and arrays, from 1 to 1000. <strong>Default</strong> <code>{128}</code></td><td><a href="./ParseJsonOptions"><code>ParseJsonOptions</code></a>.<a href="./ParseJsonOptions#property-maxdepth"><code>maxDepth</code></a></td></tr><tr><td><a id="property-unknownmembers"></a> <code>unknownMembers?</code></td><td><code>readonly</code></td><td><code>&quot;keep&quot;</code> | <code>&quot;reject&quot;</code></td><td>Handling of members that the message format does not define. <code>keep</code> stores them in <code>extensions</code>, and <code>reject</code> throws <code>invalid_message</code>. <strong>Default</strong> <code>{&quot;keep&quot;}</code></td><td>-</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/mod/interfaces/ParseMessageOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ParseMessageOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ParseMessageOptions as default
};
