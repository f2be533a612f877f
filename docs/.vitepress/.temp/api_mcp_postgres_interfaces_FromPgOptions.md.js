import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: FromPgOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/postgres/interfaces/FromPgOptions.md","filePath":"api/mcp/postgres/interfaces/FromPgOptions.md"}');
const _sfc_main = { name: "api/mcp/postgres/interfaces/FromPgOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-frompgoptions" tabindex="-1">Interface: FromPgOptions <a class="header-anchor" href="#interface-frompgoptions" aria-label="Permalink to &quot;Interface: FromPgOptions&quot;">​</a></h1><p>Options for <a href="./../functions/fromPg"><code>fromPg</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-onerror"></a> <code>onError?</code></td><td><code>readonly</code></td><td>(<code>error</code>) =&gt; <code>void</code></td><td>Called when the connection for notifications is lost or cannot be restored. Notifications that are sent in the meantime are not received. If omitted, errors are printed to standard error: each error once, and at most 20 per minute. <code>() =&gt; {}</code> ignores them.</td></tr><tr><td><a id="property-retryms"></a> <code>retryMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time before a lost connection for notifications is restored, and between further attempts, in milliseconds. <strong>Default</strong> <code>{1000}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/postgres/interfaces/FromPgOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const FromPgOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  FromPgOptions as default
};
