import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RestateApprovalsOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/restate/interfaces/RestateApprovalsOptions.md","filePath":"api/runtime/restate/interfaces/RestateApprovalsOptions.md"}');
const _sfc_main = { name: "api/runtime/restate/interfaces/RestateApprovalsOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-restateapprovalsoptions" tabindex="-1">Interface: RestateApprovalsOptions <a class="header-anchor" href="#interface-restateapprovalsoptions" aria-label="Permalink to &quot;Interface: RestateApprovalsOptions&quot;">​</a></h1><p>Options for <a href="./../functions/restateApprovals"><code>restateApprovals</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-onrequest"></a> <code>onRequest?</code></td><td><code>readonly</code></td><td>(<code>name</code>, <code>request</code>) =&gt; <code>void</code> | <code>Promise</code>&lt;<code>void</code>&gt;</td><td>Called before the run waits, for example to notify the person who decides. Called again when the workflow is replayed, so wrap effects in <code>ctx.run</code>.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/restate/interfaces/RestateApprovalsOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RestateApprovalsOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RestateApprovalsOptions as default
};
