import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: JsonTextPosition","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/mod/interfaces/JsonTextPosition.md","filePath":"api/comm/mod/interfaces/JsonTextPosition.md"}');
const _sfc_main = { name: "api/comm/mod/interfaces/JsonTextPosition.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-jsontextposition" tabindex="-1">Interface: JsonTextPosition <a class="header-anchor" href="#interface-jsontextposition" aria-label="Permalink to &quot;Interface: JsonTextPosition&quot;">​</a></h1><p>Position of an error in a JSON text.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-offset"></a> <code>offset</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Offset in UTF-16 code units if the input is a string, or in bytes if the input is bytes.</td></tr><tr><td><a id="property-path"></a> <code>path</code></td><td><code>readonly</code></td><td><code>string</code></td><td>JSON Pointer (RFC 6901) to the value. <code>&quot;&quot;</code> points to the whole document.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/mod/interfaces/JsonTextPosition.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const JsonTextPosition = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  JsonTextPosition as default
};
