import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: AgentSessionOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/session/interfaces/AgentSessionOptions.md","filePath":"api/runtime/session/interfaces/AgentSessionOptions.md"}');
const _sfc_main = { name: "api/runtime/session/interfaces/AgentSessionOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-agentsessionoptions" tabindex="-1">Interface: AgentSessionOptions <a class="header-anchor" href="#interface-agentsessionoptions" aria-label="Permalink to &quot;Interface: AgentSessionOptions&quot;">​</a></h1><p>Options for <a href="./../classes/AgentSession"><code>AgentSession</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-id"></a> <code>id</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the session, for example of a conversation; a non-empty string.</td></tr><tr><td><a id="property-maxchars"></a> <code>maxChars?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum total length of the session&#39;s records as JSON, in UTF-16 code units; a positive integer. If the records are longer, the session rejects further runs. The limit is checked before a run, so the run&#39;s own record can exceed the limit. <strong>Default</strong> <code>{67_108_864}</code></td></tr><tr><td><a id="property-maxrecords"></a> <code>maxRecords?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of records in the session; a positive integer. A session that has this number of records rejects further runs. <strong>Default</strong> <code>{10_000}</code></td></tr><tr><td><a id="property-steprunner"></a> <code>stepRunner?</code></td><td><code>readonly</code></td><td><a href="./../../mod/interfaces/StepRunner"><code>StepRunner</code></a></td><td>Records the steps of the session&#39;s runs, so that a run can be resumed after a crash or a deferred approval. If omitted, an interrupted run cannot be resumed and leaves no record.</td></tr><tr><td><a id="property-store"></a> <code>store</code></td><td><code>readonly</code></td><td><a href="./SessionStore"><code>SessionStore</code></a></td><td>Storage for the session.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/session/interfaces/AgentSessionOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const AgentSessionOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  AgentSessionOptions as default
};
