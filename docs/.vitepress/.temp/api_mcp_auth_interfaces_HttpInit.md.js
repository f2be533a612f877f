import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: HttpInit","description":"","frontmatter":{},"headers":[{"level":2,"title":"Extends","slug":"extends","link":"#extends","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/auth/interfaces/HttpInit.md","filePath":"api/mcp/auth/interfaces/HttpInit.md"}');
const _sfc_main = { name: "api/mcp/auth/interfaces/HttpInit.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-httpinit" tabindex="-1">Interface: HttpInit <a class="header-anchor" href="#interface-httpinit" aria-label="Permalink to &quot;Interface: HttpInit&quot;">​</a></h1><p>Options for <a href="./../type-aliases/HttpFetch"><code>HttpFetch</code></a>: the options of <code>fetch</code>, and a callback that pauses the request timeout.</p><h2 id="extends" tabindex="-1">Extends <a class="header-anchor" href="#extends" aria-label="Permalink to &quot;Extends&quot;">​</a></h2><ul><li><code>RequestInit</code></li></ul><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-pausetimeout"></a> <code>pauseTimeout?</code></td><td><code>readonly</code></td><td>(<code>until</code>) =&gt; <code>void</code></td><td>Pauses the request timeout until the promise settles. A <code>fetch</code> wrapper calls this function when the user must log in; the built-in <code>fetch</code> ignores it.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/auth/interfaces/HttpInit.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const HttpInit = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  HttpInit as default
};
