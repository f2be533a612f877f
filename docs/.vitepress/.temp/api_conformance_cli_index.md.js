import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"@parley/conformance/cli","description":"","frontmatter":{},"headers":[{"level":2,"title":"Interfaces","slug":"interfaces","link":"#interfaces","children":[]},{"level":2,"title":"Functions","slug":"functions","link":"#functions","children":[]}],"relativePath":"api/conformance/cli/index.md","filePath":"api/conformance/cli/index.md"}');
const _sfc_main = { name: "api/conformance/cli/index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="parley-conformance-cli" tabindex="-1">@parley/conformance/cli <a class="header-anchor" href="#parley-conformance-cli" aria-label="Permalink to &quot;@parley/conformance/cli&quot;">​</a></h1><p>The kit&#39;s command line, <code>parley-kit</code>.</p><pre><code>deno run -A jsr:@parley/conformance/cli run --driver &quot;python3 my_driver.py&quot;
npx -p @parley/conformance parley-kit run --driver &quot;python3 my_driver.py&quot;
</code></pre><h2 id="interfaces" tabindex="-1">Interfaces <a class="header-anchor" href="#interfaces" aria-label="Permalink to &quot;Interfaces&quot;">​</a></h2><ul><li><a href="./interfaces/CommandIo">CommandIo</a></li></ul><h2 id="functions" tabindex="-1">Functions <a class="header-anchor" href="#functions" aria-label="Permalink to &quot;Functions&quot;">​</a></h2><ul><li><a href="./functions/main">main</a></li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/cli/index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
