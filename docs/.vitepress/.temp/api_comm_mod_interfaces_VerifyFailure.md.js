import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: VerifyFailure","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/mod/interfaces/VerifyFailure.md","filePath":"api/comm/mod/interfaces/VerifyFailure.md"}');
const _sfc_main = { name: "api/comm/mod/interfaces/VerifyFailure.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-verifyfailure" tabindex="-1">Interface: VerifyFailure <a class="header-anchor" href="#interface-verifyfailure" aria-label="Permalink to &quot;Interface: VerifyFailure&quot;">​</a></h1><p>Result for a message that failed verification.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-error"></a> <code>error</code></td><td><code>readonly</code></td><td><a href="./../classes/CommError"><code>CommError</code></a></td><td>The failure as an error with details.</td></tr><tr><td><a id="property-ok"></a> <code>ok</code></td><td><code>readonly</code></td><td><code>false</code></td><td>Discriminant: <code>false</code> if the message failed verification.</td></tr><tr><td><a id="property-reason"></a> <code>reason</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/VerifyFailureReason"><code>VerifyFailureReason</code></a></td><td>Reason for the failure, equal to <code>error.code</code>.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/mod/interfaces/VerifyFailure.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const VerifyFailure = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  VerifyFailure as default
};
