import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"@parley/mcp/skills/folder","description":"","frontmatter":{},"headers":[{"level":2,"title":"Interfaces","slug":"interfaces","link":"#interfaces","children":[]},{"level":2,"title":"Functions","slug":"functions","link":"#functions","children":[]},{"level":2,"title":"References","slug":"references","link":"#references","children":[{"level":3,"title":"SkillFiles","slug":"skillfiles","link":"#skillfiles","children":[]}]}],"relativePath":"api/mcp/skills/folder/index.md","filePath":"api/mcp/skills/folder/index.md"}');
const _sfc_main = { name: "api/mcp/skills/folder/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="parley-mcp-skills-folder" tabindex="-1">@parley/mcp/skills/folder <a class="header-anchor" href="#parley-mcp-skills-folder" aria-label="Permalink to &quot;@parley/mcp/skills/folder&quot;">​</a></h1><p>Skills in a folder of the file system, on Deno, Node.js and Bun. Pass the result of <a href="./functions/folderSkills"><code>folderSkills</code></a> to <code>serverSkills()</code> from <code>@parley/mcp/skills</code>.</p><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/FolderSkillsOptions">FolderSkillsOptions</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/folderSkills">folderSkills</a></li></ul><h2 id="references" tabindex="-1">References <a class="header-anchor" href="#references" aria-label="Permalink to &quot;References&quot;">​</a></h2><h3 id="skillfiles" tabindex="-1">SkillFiles <a class="header-anchor" href="#skillfiles" aria-label="Permalink to &quot;SkillFiles&quot;">​</a></h3><p>Re-exports <a href="./../interfaces/SkillFiles">SkillFiles</a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/skills/folder/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
