import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: CliIo","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/cli/interfaces/CliIo.md","filePath":"api/mcp/cli/interfaces/CliIo.md"}');
const _sfc_main = { name: "api/mcp/cli/interfaces/CliIo.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-cliio" tabindex="-1">Interface: CliIo <a class="header-anchor" href="#interface-cliio" aria-label="Permalink to &quot;Interface: CliIo&quot;">​</a></h1><p>Output, files, environment variables and interrupts of the command line.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-env"></a> <code>env</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>string</code> | <code>undefined</code>&gt;&gt;</td><td>Environment variables.</td></tr><tr><td><a id="property-err"></a> <code>err</code></td><td><code>readonly</code></td><td>(<code>text</code>) =&gt; <code>void</code></td><td>Writes to standard error.</td></tr><tr><td><a id="property-out"></a> <code>out</code></td><td><code>readonly</code></td><td>(<code>text</code>) =&gt; <code>void</code></td><td>Writes to standard output.</td></tr><tr><td><a id="property-readfile"></a> <code>readFile</code></td><td><code>readonly</code></td><td>(<code>path</code>) =&gt; <code>Promise</code>&lt;<code>string</code>&gt;</td><td>Reads a text file.</td></tr><tr><td><a id="property-signal"></a> <code>signal</code></td><td><code>readonly</code></td><td><code>AbortSignal</code></td><td>Aborted when the command must end.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/cli/interfaces/CliIo.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const CliIo = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  CliIo as default
};
