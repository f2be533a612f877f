import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: CommandIo","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/conformance/cli/interfaces/CommandIo.md","filePath":"api/conformance/cli/interfaces/CommandIo.md"}');
const _sfc_main = { name: "api/conformance/cli/interfaces/CommandIo.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-commandio" tabindex="-1">Interface: CommandIo <a class="header-anchor" href="#interface-commandio" aria-label="Permalink to &quot;Interface: CommandIo&quot;">​</a></h1><p>Output, environment and interrupts of a command.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-colors"></a> <code>colors</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether standard output supports colors.</td></tr><tr><td><a id="property-columns"></a> <code>columns?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Width of the terminal. <strong>Default</strong> <code>{80}</code></td></tr><tr><td><a id="property-env"></a> <code>env</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>string</code> | <code>undefined</code>&gt;&gt;</td><td>Environment variables.</td></tr><tr><td><a id="property-err"></a> <code>err</code></td><td><code>readonly</code></td><td>(<code>text</code>) =&gt; <code>void</code></td><td>Writes to standard error.</td></tr><tr><td><a id="property-isterminal"></a> <code>isTerminal</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether standard error is a terminal. If true, a progress line is shown.</td></tr><tr><td><a id="property-out"></a> <code>out</code></td><td><code>readonly</code></td><td>(<code>text</code>) =&gt; <code>void</code></td><td>Writes to standard output.</td></tr><tr><td><a id="property-signal"></a> <code>signal</code></td><td><code>readonly</code></td><td><code>AbortSignal</code></td><td>Aborted when the user interrupts the command.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/cli/interfaces/CommandIo.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const CommandIo = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  CommandIo as default
};
