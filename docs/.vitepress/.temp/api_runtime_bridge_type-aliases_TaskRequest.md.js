import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: TaskRequest","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/bridge/type-aliases/TaskRequest.md","filePath":"api/runtime/bridge/type-aliases/TaskRequest.md"}');
const _sfc_main = { name: "api/runtime/bridge/type-aliases/TaskRequest.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-taskrequest" tabindex="-1">Type Alias: TaskRequest <a class="header-anchor" href="#type-alias-taskrequest" aria-label="Permalink to &quot;Type Alias: TaskRequest&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> TaskRequest</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> object</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Payload of a request: a task for an agent.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-content"></a> <code>content</code></td><td><code>readonly</code></td><td><code>string</code></td><td>The task, as a message from the user; a non-empty string.</td></tr><tr><td><a id="property-taskid"></a> <code>taskId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the task, unique among the tasks of the requester: 1 to 128 letters, digits, <code>_</code>, <code>-</code>, <code>.</code> and <code>:</code>. A request with the id of an earlier task refers to that task and does not start a new one.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/bridge/type-aliases/TaskRequest.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const TaskRequest = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  TaskRequest as default
};
