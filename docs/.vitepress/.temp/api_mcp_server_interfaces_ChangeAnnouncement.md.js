import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ChangeAnnouncement","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/server/interfaces/ChangeAnnouncement.md","filePath":"api/mcp/server/interfaces/ChangeAnnouncement.md"}');
const _sfc_main = { name: "api/mcp/server/interfaces/ChangeAnnouncement.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-changeannouncement" tabindex="-1">Interface: ChangeAnnouncement <a class="header-anchor" href="#interface-changeannouncement" aria-label="Permalink to &quot;Interface: ChangeAnnouncement&quot;">​</a></h1><p>A change, with the server object that announces it. All members are JSON values.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-change"></a> <code>change</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/Change"><code>Change</code></a></td><td>Change to a list, or update to a resource.</td></tr><tr><td><a id="property-origin"></a> <code>origin</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Identifier of the server object that announces the change. Each server object has a random identifier.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/server/interfaces/ChangeAnnouncement.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ChangeAnnouncement = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ChangeAnnouncement as default
};
