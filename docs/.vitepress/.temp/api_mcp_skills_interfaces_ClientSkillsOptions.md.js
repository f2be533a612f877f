import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ClientSkillsOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/skills/interfaces/ClientSkillsOptions.md","filePath":"api/mcp/skills/interfaces/ClientSkillsOptions.md"}');
const _sfc_main = { name: "api/mcp/skills/interfaces/ClientSkillsOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-clientskillsoptions" tabindex="-1">Interface: ClientSkillsOptions <a class="header-anchor" href="#interface-clientskillsoptions" aria-label="Permalink to &quot;Interface: ClientSkillsOptions&quot;">​</a></h1><p>Options for <a href="./../functions/clientSkills"><code>clientSkills</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-maxbytes"></a> <code>maxBytes?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum total size of the files in one skill, in bytes. A larger skill is invalid. The specification requires support for at least 16 MiB. <strong>Default</strong> <code>{16_777_216}</code></td></tr><tr><td><a id="property-maxfiles"></a> <code>maxFiles?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of files in one skill. A skill with more files is invalid. The specification requires support for at least 512. <strong>Default</strong> <code>{512}</code></td></tr><tr><td><a id="property-maxlistchars"></a> <code>maxListChars?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum size of the list of skills, as JSON, in UTF-16 code units. <strong>Default</strong> <code>{16_777_216}</code></td></tr><tr><td><a id="property-maxskills"></a> <code>maxSkills?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of skills that a server may list. <strong>Default</strong> <code>{10_000}</code></td></tr><tr><td><a id="property-onerror"></a> <code>onError?</code></td><td><code>readonly</code></td><td>(<code>error</code>) =&gt; <code>void</code></td><td>Called with one error for each skill that <code>list</code> leaves out. If omitted, errors are printed to standard error: each error once, and at most 20 per minute. <code>() =&gt; {}</code> ignores them.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/skills/interfaces/ClientSkillsOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ClientSkillsOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ClientSkillsOptions as default
};
