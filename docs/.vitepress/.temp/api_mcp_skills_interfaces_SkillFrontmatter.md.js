import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: SkillFrontmatter","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extends","slug":"extends","link":"#extends","children":[]},{"level":2,"title":"Indexable","slug":"indexable","link":"#indexable","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/skills/interfaces/SkillFrontmatter.md","filePath":"api/mcp/skills/interfaces/SkillFrontmatter.md"}');
const _sfc_main = { name: "api/mcp/skills/interfaces/SkillFrontmatter.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-skillfrontmatter" tabindex="-1">Interface: SkillFrontmatter <a class="header-anchor" href="#interface-skillfrontmatter" aria-label="Permalink to &quot;Interface: SkillFrontmatter&quot;">​</a></h1><p>Frontmatter of a <code>SKILL.md</code> file. Fields other than <code>name</code> and <code>description</code> can have any JSON value.</p><h2 id="extends" tabindex="-1">Extends <a class="header-anchor" href="#extends" aria-label="Permalink to &quot;Extends&quot;">​</a></h2><ul><li><a href="./../../mod/type-aliases/JsonObject"><code>JsonObject</code></a></li></ul><h2 id="indexable" tabindex="-1">Indexable <a class="header-anchor" href="#indexable" aria-label="Permalink to &quot;Indexable&quot;">​</a></h2><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">[key: string]: unknown</span></span></code></pre></div><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-description"></a> <code>description</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Purpose of the skill, and the situations in which to use it.</td></tr><tr><td><a id="property-name"></a> <code>name</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the skill, which is also the name of its folder.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/skills/interfaces/SkillFrontmatter.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const SkillFrontmatter = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  SkillFrontmatter as default
};
