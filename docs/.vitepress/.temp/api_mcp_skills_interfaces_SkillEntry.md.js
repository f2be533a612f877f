import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: SkillEntry","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/skills/interfaces/SkillEntry.md","filePath":"api/mcp/skills/interfaces/SkillEntry.md"}');
const _sfc_main = { name: "api/mcp/skills/interfaces/SkillEntry.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-skillentry" tabindex="-1">Interface: SkillEntry <a class="header-anchor" href="#interface-skillentry" aria-label="Permalink to &quot;Interface: SkillEntry&quot;">​</a></h1><p>Description of a skill.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-frontmatter"></a> <code>frontmatter</code></td><td><code>readonly</code></td><td><a href="./SkillFrontmatter"><code>SkillFrontmatter</code></a></td><td>Frontmatter of the <code>SKILL.md</code> file.</td></tr><tr><td><a id="property-resources"></a> <code>resources</code></td><td><code>readonly</code></td><td>readonly <a href="./SkillResource"><code>SkillResource</code></a>[] | <code>&quot;dynamic&quot;</code></td><td>All files of the skill, or <code>&quot;dynamic&quot;</code> if the server generates files whose digests are not known in advance.</td></tr><tr><td><a id="property-uri"></a> <code>uri</code></td><td><code>readonly</code></td><td><code>string</code></td><td>URI of the skill&#39;s <code>SKILL.md</code> file.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/skills/interfaces/SkillEntry.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const SkillEntry = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  SkillEntry as default
};
