import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: CaseNeeds","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/conformance/mod/interfaces/CaseNeeds.md","filePath":"api/conformance/mod/interfaces/CaseNeeds.md"}');
const _sfc_main = { name: "api/conformance/mod/interfaces/CaseNeeds.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-caseneeds" tabindex="-1">Interface: CaseNeeds <a class="header-anchor" href="#interface-caseneeds" aria-label="Permalink to &quot;Interface: CaseNeeds&quot;">​</a></h1><p>Prerequisites of a case.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-capabilities"></a> <code>capabilities?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>MCP server capabilities that must be declared.</td></tr><tr><td><a id="property-extensions"></a> <code>extensions?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Ids of MCP extensions that the kit declares and the subject must support.</td></tr><tr><td><a id="property-features"></a> <code>features?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Features that the driver must declare.</td></tr><tr><td><a id="property-fixtures"></a> <code>fixtures?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Names of tools (<code>tool:x</code>), resources (<code>resource:uri</code>) and prompts (<code>prompt:x</code>) that must exist.</td></tr><tr><td><a id="property-ops"></a> <code>ops?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Driver operations, in addition to those that the steps call.</td></tr><tr><td><a id="property-session"></a> <code>session?</code></td><td><code>readonly</code></td><td><code>true</code></td><td>Whether the server must use sessions over HTTP.</td></tr><tr><td><a id="property-transports"></a> <code>transports?</code></td><td><code>readonly</code></td><td>readonly (<code>&quot;stdio&quot;</code> | <code>&quot;http&quot;</code>)[]</td><td>Transports that the case runs on. If omitted, all transports.</td></tr><tr><td><a id="property-undeclared"></a> <code>undeclared?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>MCP server capabilities that must not be declared.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/mod/interfaces/CaseNeeds.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const CaseNeeds = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  CaseNeeds as default
};
