import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: FolderSkillsOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/skills/folder/interfaces/FolderSkillsOptions.md","filePath":"api/mcp/skills/folder/interfaces/FolderSkillsOptions.md"}');
const _sfc_main = { name: "api/mcp/skills/folder/interfaces/FolderSkillsOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-folderskillsoptions" tabindex="-1">Interface: FolderSkillsOptions <a class="header-anchor" href="#interface-folderskillsoptions" aria-label="Permalink to &quot;Interface: FolderSkillsOptions&quot;">​</a></h1><p>Options for <a href="./../functions/folderSkills"><code>folderSkills</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-maxfilebytes"></a> <code>maxFileBytes?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum size of a file, in bytes. A skill with a larger file is left out. <strong>Default</strong> <code>{16_777_216}</code></td></tr><tr><td><a id="property-maxfiles"></a> <code>maxFiles?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of files and folders. If there are more, no skills are loaded. <strong>Default</strong> <code>{10_000}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/skills/folder/interfaces/FolderSkillsOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const FolderSkillsOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  FolderSkillsOptions as default
};
