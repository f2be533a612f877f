import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: Subject","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/conformance/mod/interfaces/Subject.md","filePath":"api/conformance/mod/interfaces/Subject.md"}');
const _sfc_main = { name: "api/conformance/mod/interfaces/Subject.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-subject" tabindex="-1">Interface: Subject <a class="header-anchor" href="#interface-subject" aria-label="Permalink to &quot;Interface: Subject&quot;">​</a></h1><p>Connections to an implementation under test, of which at least one must be set.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-client"></a> <code>client?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Program and arguments of an MCP client. <code>{peer}</code> is replaced with the command of the test server.</td></tr><tr><td><a id="property-driver"></a> <code>driver?</code></td><td><code>readonly</code></td><td><a href="./DriverSubject"><code>DriverSubject</code></a></td><td>A driver.</td></tr><tr><td><a id="property-server"></a> <code>server?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Program and arguments of an MCP server that uses stdio.</td></tr><tr><td><a id="property-start"></a> <code>start?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Program and arguments that start the server at <code>url</code>. <code>{port}</code> in the command and in <code>url</code> is replaced with a free port.</td></tr><tr><td><a id="property-url"></a> <code>url?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>URL of an MCP server.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/mod/interfaces/Subject.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Subject = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Subject as default
};
