import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"@parley/runtime/runs-cli","description":"","frontmatter":{},"headers":[{"level":2,"title":"Interfaces","slug":"interfaces","link":"#interfaces","children":[]},{"level":2,"title":"Functions","slug":"functions","link":"#functions","children":[]}],"relativePath":"api/runtime/runs_cli/index.md","filePath":"api/runtime/runs_cli/index.md"}');
const _sfc_main = { name: "api/runtime/runs_cli/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="parley-runtime-runs-cli" tabindex="-1">@parley/runtime/runs-cli <a class="header-anchor" href="#parley-runtime-runs-cli" aria-label="Permalink to &quot;@parley/runtime/runs-cli&quot;">​</a></h1><p>The command <code>parley-runs</code>, which lists durable runs, shows what they wait for, and sends signals and decisions.</p><pre><code>npx -p @parley/runtime -p pg-boss parley-runs --database postgres://localhost/app list
deno run -A jsr:@parley/runtime/runs-cli --database runs.db show order-7
</code></pre><p>A PostgreSQL database can be used at any time. An SQLite file can be used only while no other program uses the file.</p><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/RunsCliIo">RunsCliIo</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/main">main</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/runs_cli/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
