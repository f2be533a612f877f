import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"@parley/mcp/process","description":"","frontmatter":{},"headers":[{"level":2,"title":"Interfaces","slug":"interfaces","link":"#interfaces","children":[]},{"level":2,"title":"Functions","slug":"functions","link":"#functions","children":[]}],"relativePath":"api/mcp/process/index.md","filePath":"api/mcp/process/index.md"}');
const _sfc_main = { name: "api/mcp/process/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="parley-mcp-process" tabindex="-1">@parley/mcp/process <a class="header-anchor" href="#parley-mcp-process" aria-label="Permalink to &quot;@parley/mcp/process&quot;">​</a></h1><p>MCP servers as child processes on Deno, Node.js and Bun. Pass the result of <a href="./functions/spawnServer"><code>spawnServer</code></a> as a client&#39;s <code>transport</code>. For a server in the current process, use <code>serveStdio()</code> from <code>@parley/mcp/server</code>.</p><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/ServerExit">ServerExit</a></li><li><a href="./interfaces/SpawnedServer">SpawnedServer</a></li><li><a href="./interfaces/SpawnServerOptions">SpawnServerOptions</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/spawnServer">spawnServer</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/process/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
