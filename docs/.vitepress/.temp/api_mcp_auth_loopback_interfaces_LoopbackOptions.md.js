import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: LoopbackOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/auth/loopback/interfaces/LoopbackOptions.md","filePath":"api/mcp/auth/loopback/interfaces/LoopbackOptions.md"}');
const _sfc_main = { name: "api/mcp/auth/loopback/interfaces/LoopbackOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-loopbackoptions" tabindex="-1">Interface: LoopbackOptions <a class="header-anchor" href="#interface-loopbackoptions" aria-label="Permalink to &quot;Interface: LoopbackOptions&quot;">​</a></h1><p>Options for <a href="./../functions/openLoopback"><code>openLoopback</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-message"></a> <code>message?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Text that the browser shows after the redirect. By default, the text tells the user to close the window.</td></tr><tr><td><a id="property-open"></a> <code>open?</code></td><td><code>readonly</code></td><td>(<code>url</code>) =&gt; <code>void</code> | <code>Promise</code>&lt;<code>void</code>&gt;</td><td>Opens the authorization URL. If omitted, the URL opens in the default browser.</td></tr><tr><td><a id="property-path"></a> <code>path?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Path of the redirect URI. <strong>Default</strong> <code>{&quot;/callback&quot;}</code></td></tr><tr><td><a id="property-port"></a> <code>port?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Port to listen on. <code>0</code> selects a free port. Set a port if the redirect URI is registered with a port. <strong>Default</strong> <code>{0}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/auth/loopback/interfaces/LoopbackOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const LoopbackOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  LoopbackOptions as default
};
