import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: SkillFile","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/skills/interfaces/SkillFile.md","filePath":"api/mcp/skills/interfaces/SkillFile.md"}');
const _sfc_main = { name: "api/mcp/skills/interfaces/SkillFile.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-skillfile" tabindex="-1">Interface: SkillFile <a class="header-anchor" href="#interface-skillfile" aria-label="Permalink to &quot;Interface: SkillFile&quot;">​</a></h1><p>A file of a skill that a client has read.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-bytes"></a> <code>bytes</code></td><td><code>readonly</code></td><td><code>Uint8Array</code>&lt;<code>ArrayBuffer</code>&gt;</td><td>Bytes of the file.</td></tr><tr><td><a id="property-mimetype"></a> <code>mimeType?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Media type of the file, as reported by the server.</td></tr><tr><td><a id="property-text"></a> <code>text?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Text of the file, if the server sent the file as text. Always present for a skill&#39;s <code>SKILL.md</code> file.</td></tr><tr><td><a id="property-uri"></a> <code>uri</code></td><td><code>readonly</code></td><td><code>string</code></td><td>URI of the file.</td></tr><tr><td><a id="property-verified"></a> <code>verified</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the size and digest match the entry. <code>false</code> only if the skill&#39;s <code>resources</code> are <code>&quot;dynamic&quot;</code>.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/skills/interfaces/SkillFile.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const SkillFile = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  SkillFile as default
};
