import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: StdioTransportOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extended by","slug":"extended-by","link":"#extended-by","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/mod/interfaces/StdioTransportOptions.md","filePath":"api/mcp/mod/interfaces/StdioTransportOptions.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/StdioTransportOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-stdiotransportoptions" tabindex="-1">Interface: StdioTransportOptions <a class="header-anchor" href="#interface-stdiotransportoptions" aria-label="Permalink to &quot;Interface: StdioTransportOptions&quot;">​</a></h1><p>Options for a <a href="./../classes/StdioTransport"><code>StdioTransport</code></a>.</p><h2 id="extended-by" tabindex="-1">Extended by <a class="header-anchor" href="#extended-by" aria-label="Permalink to &quot;Extended by&quot;">​</a></h2><ul><li><a href="./ServeStdioOptions"><code>ServeStdioOptions</code></a></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-maxbufferedchars"></a> <code>maxBufferedChars?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of characters to buffer while the peer does not read. Calls beyond this limit reject with code <code>core</code>. <strong>Default</strong> <code>{134_217_728}</code></td></tr><tr><td><a id="property-maxjunklines"></a> <code>maxJunkLines?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of consecutive lines that are not JSON-RPC messages. Beyond this limit, the connection ends with code <code>transport_error</code>. If omitted, the number is unlimited; <code>StdioTransport</code> allows 1000.</td></tr><tr><td><a id="property-maxlinebytes"></a> <code>maxLineBytes?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum length of a received line, in bytes. Lines beyond this length are skipped. <strong>Default</strong> <code>{10_485_760}</code></td></tr><tr><td><a id="property-reader"></a> <code>reader?</code></td><td><code>readonly</code></td><td><a href="./StdioLineReader"><code>StdioLineReader</code></a></td><td>Source of lines. Defaults to standard input.</td></tr><tr><td><a id="property-writer"></a> <code>writer?</code></td><td><code>readonly</code></td><td><a href="./StdioLineWriter"><code>StdioLineWriter</code></a></td><td>Destination for lines. Defaults to standard output.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/StdioTransportOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const StdioTransportOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  StdioTransportOptions as default
};
