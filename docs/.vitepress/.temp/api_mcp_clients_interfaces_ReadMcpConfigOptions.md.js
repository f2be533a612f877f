import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ReadMcpConfigOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/clients/interfaces/ReadMcpConfigOptions.md","filePath":"api/mcp/clients/interfaces/ReadMcpConfigOptions.md"}');
const _sfc_main = { name: "api/mcp/clients/interfaces/ReadMcpConfigOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-readmcpconfigoptions" tabindex="-1">Interface: ReadMcpConfigOptions <a class="header-anchor" href="#interface-readmcpconfigoptions" aria-label="Permalink to &quot;Interface: ReadMcpConfigOptions&quot;">​</a></h1><p>Options for <a href="./../functions/readMcpConfig"><code>readMcpConfig</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-env"></a> <code>env?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>string</code> | <code>undefined</code>&gt;&gt;</td><td>Values for <code>\${VAR}</code>, such as <code>Deno.env.toObject()</code> or <code>process.env</code>. <strong>Default</strong> <code>{{}}</code></td></tr><tr><td><a id="property-spawn"></a> <code>spawn?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/SpawnCommand"><code>SpawnCommand</code></a></td><td>Creates the transport of each server that has a <code>command</code>, such as <code>spawnServer</code> from <code>@parley/mcp/process</code>. If omitted, a server with a <code>command</code> is an error.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/clients/interfaces/ReadMcpConfigOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ReadMcpConfigOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ReadMcpConfigOptions as default
};
