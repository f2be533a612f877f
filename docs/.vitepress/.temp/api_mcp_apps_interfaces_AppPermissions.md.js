import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: AppPermissions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/apps/interfaces/AppPermissions.md","filePath":"api/mcp/apps/interfaces/AppPermissions.md"}');
const _sfc_main = { name: "api/mcp/apps/interfaces/AppPermissions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-apppermissions" tabindex="-1">Interface: AppPermissions <a class="header-anchor" href="#interface-apppermissions" aria-label="Permalink to &quot;Interface: AppPermissions&quot;">​</a></h1><p>Browser features that a page requests. Hosts may ignore the request.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-camera"></a> <code>camera?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>unknown</code>&gt;&gt;</td><td>Camera.</td></tr><tr><td><a id="property-clipboardwrite"></a> <code>clipboardWrite?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>unknown</code>&gt;&gt;</td><td>Write access to the clipboard.</td></tr><tr><td><a id="property-geolocation"></a> <code>geolocation?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>unknown</code>&gt;&gt;</td><td>Location of the device.</td></tr><tr><td><a id="property-microphone"></a> <code>microphone?</code></td><td><code>readonly</code></td><td><code>Readonly</code>&lt;<code>Record</code>&lt;<code>string</code>, <code>unknown</code>&gt;&gt;</td><td>Microphone.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/apps/interfaces/AppPermissions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const AppPermissions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  AppPermissions as default
};
