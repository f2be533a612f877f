import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: SendOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/client/interfaces/SendOptions.md","filePath":"api/mcp/client/interfaces/SendOptions.md"}');
const _sfc_main = { name: "api/mcp/client/interfaces/SendOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-sendoptions" tabindex="-1">Interface: SendOptions <a class="header-anchor" href="#interface-sendoptions" aria-label="Permalink to &quot;Interface: SendOptions&quot;">​</a></h1><p>Options for sending a message.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-pausetimeout"></a> <code>pauseTimeout?</code></td><td><code>readonly</code></td><td>(<code>until</code>) =&gt; <code>void</code></td><td>Pauses the request timeout until the promise settles, for example while the user logs in.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/client/interfaces/SendOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const SendOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  SendOptions as default
};
