import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: TaskResponse","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/bridge/type-aliases/TaskResponse.md","filePath":"api/runtime/bridge/type-aliases/TaskResponse.md"}');
const _sfc_main = { name: "api/runtime/bridge/type-aliases/TaskResponse.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-taskresponse" tabindex="-1">Type Alias: TaskResponse <a class="header-anchor" href="#type-alias-taskresponse" aria-label="Permalink to &quot;Type Alias: TaskResponse&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> TaskResponse</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> object</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Payload of a response.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-pending"></a> <code>pending?</code></td><td><code>readonly</code></td><td>readonly <a href="./PendingKey"><code>PendingKey</code></a>[]</td><td>Keys that the run waits for. Absent unless <code>status</code> is <code>approval_pending</code> or <code>waiting</code>.</td></tr><tr><td><a id="property-reason"></a> <code>reason?</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Why the request was rejected. Absent unless <code>status</code> is <code>rejected</code>.</td></tr><tr><td><a id="property-status"></a> <code>status</code></td><td><code>readonly</code></td><td><a href="./TaskStatus"><code>TaskStatus</code></a></td><td>How the task has ended, or what it waits for.</td></tr><tr><td><a id="property-text"></a> <code>text</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Final text of the run. <code>&quot;&quot;</code> if there is none.</td></tr><tr><td><a id="property-usage"></a> <code>usage?</code></td><td><code>readonly</code></td><td><a href="./../../mod/type-aliases/JsonValue"><code>JsonValue</code></a></td><td>Token usage of the run. Absent if the run has not ended or has failed.</td></tr><tr><td><a id="property-value"></a> <code>value?</code></td><td><code>readonly</code></td><td><a href="./../../mod/type-aliases/JsonValue"><code>JsonValue</code></a></td><td>Final answer of a run with an <code>output</code> schema. Absent if there is no valid final answer.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/bridge/type-aliases/TaskResponse.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const TaskResponse = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  TaskResponse as default
};
