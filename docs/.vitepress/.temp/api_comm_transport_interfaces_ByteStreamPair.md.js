import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ByteStreamPair","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/transport/interfaces/ByteStreamPair.md","filePath":"api/comm/transport/interfaces/ByteStreamPair.md"}');
const _sfc_main = { name: "api/comm/transport/interfaces/ByteStreamPair.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-bytestreampair" tabindex="-1">Interface: ByteStreamPair <a class="header-anchor" href="#interface-bytestreampair" aria-label="Permalink to &quot;Interface: ByteStreamPair&quot;">​</a></h1><p>Two byte streams, such as a TCP or TLS connection, a pipe, two <code>TransformStream</code> objects, or the result of <code>Duplex.toWeb()</code> of Node.js.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-readable"></a> <code>readable</code></td><td><code>readonly</code></td><td><a href="./ByteReadable"><code>ByteReadable</code></a></td><td>Bytes from the other end.</td></tr><tr><td><a id="property-writable"></a> <code>writable</code></td><td><code>readonly</code></td><td><a href="./ByteWritable"><code>ByteWritable</code></a></td><td>Bytes to the other end.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/transport/interfaces/ByteStreamPair.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ByteStreamPair = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ByteStreamPair as default
};
