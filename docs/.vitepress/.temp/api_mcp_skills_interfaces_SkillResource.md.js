import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: SkillResource","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/skills/interfaces/SkillResource.md","filePath":"api/mcp/skills/interfaces/SkillResource.md"}');
const _sfc_main = { name: "api/mcp/skills/interfaces/SkillResource.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-skillresource" tabindex="-1">Interface: SkillResource <a class="header-anchor" href="#interface-skillresource" aria-label="Permalink to &quot;Interface: SkillResource&quot;">​</a></h1><p>A file of a skill.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-digest"></a> <code>digest</code></td><td><code>readonly</code></td><td><code>string</code></td><td>SHA-256 digest of the bytes: <code>sha256:</code> and 64 lowercase hexadecimal digits.</td></tr><tr><td><a id="property-size"></a> <code>size</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Number of bytes.</td></tr><tr><td><a id="property-uri"></a> <code>uri</code></td><td><code>readonly</code></td><td><code>string</code></td><td>URI of the file.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/skills/interfaces/SkillResource.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const SkillResource = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  SkillResource as default
};
