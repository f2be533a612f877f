import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: MemoryTransportOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/client/interfaces/MemoryTransportOptions.md","filePath":"api/mcp/client/interfaces/MemoryTransportOptions.md"}');
const _sfc_main = { name: "api/mcp/client/interfaces/MemoryTransportOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-memorytransportoptions" tabindex="-1">Interface: MemoryTransportOptions <a class="header-anchor" href="#interface-memorytransportoptions" aria-label="Permalink to &quot;Interface: MemoryTransportOptions&quot;">​</a></h1><p>Options for an in-memory transport.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-maxbufferedmessages"></a> <code>maxBufferedMessages?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of messages that can wait in each direction while the reader&#39;s queue is full. Calls beyond this limit reject with code <code>core</code>. <strong>Default</strong> <code>{100_000}</code></td></tr><tr><td><a id="property-passobjects"></a> <code>passObjects?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether messages are passed as they are instead of as JSON text. Passing objects is faster, but both sides then share the objects, and a value that JSON cannot represent is accepted in memory but fails over stdio or HTTP. <strong>Default</strong> <code>{false}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/client/interfaces/MemoryTransportOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const MemoryTransportOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  MemoryTransportOptions as default
};
