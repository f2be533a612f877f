import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: Selection","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/conformance/mod/interfaces/Selection.md","filePath":"api/conformance/mod/interfaces/Selection.md"}');
const _sfc_main = { name: "api/conformance/mod/interfaces/Selection.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-selection" tabindex="-1">Interface: Selection <a class="header-anchor" href="#interface-selection" aria-label="Permalink to &quot;Interface: Selection&quot;">​</a></h1><p>Criteria for selecting cases. If empty, all cases are selected.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-flags"></a> <code>flags?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Labels that a case must have.</td></tr><tr><td><a id="property-level"></a> <code>level?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/CaseLevel"><code>CaseLevel</code></a></td><td>Least strict level to include. <strong>Default</strong> <code>{&quot;INFO&quot;}</code></td></tr><tr><td><a id="property-libraries"></a> <code>libraries?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Libraries: <code>comm</code>, <code>runtime</code>, <code>mcp</code>.</td></tr><tr><td><a id="property-nodecisions"></a> <code>noDecisions?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether to exclude cases that test a decision made by this project instead of the specification.</td></tr><tr><td><a id="property-only"></a> <code>only?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Patterns for ids to include: <code>*</code> matches within one part of an id, <code>**</code> across parts.</td></tr><tr><td><a id="property-requirements"></a> <code>requirements?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Names of requirement sets, such as <code>comm-0.1.0</code> or <code>mcp-unreleased</code>. Only their cases are included.</td></tr><tr><td><a id="property-set"></a> <code>set?</code></td><td><code>readonly</code></td><td><code>ReadonlySet</code>&lt;<code>string</code>&gt;</td><td>Ids to include.</td></tr><tr><td><a id="property-skip"></a> <code>skip?</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Patterns for ids to exclude.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/conformance/mod/interfaces/Selection.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const Selection = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  Selection as default
};
