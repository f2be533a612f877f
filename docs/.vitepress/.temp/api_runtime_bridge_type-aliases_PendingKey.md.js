import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: PendingKey","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/bridge/type-aliases/PendingKey.md","filePath":"api/runtime/bridge/type-aliases/PendingKey.md"}');
const _sfc_main = { name: "api/runtime/bridge/type-aliases/PendingKey.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-pendingkey" tabindex="-1">Type Alias: PendingKey <a class="header-anchor" href="#type-alias-pendingkey" aria-label="Permalink to &quot;Type Alias: PendingKey&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> PendingKey</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> object</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>A decision or a signal that a task waits for. Only the serving side can send the decision or the signal.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-key"></a> <code>key</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Key of the signal, for Runs.signal on the serving side.</td></tr><tr><td><a id="property-kind"></a> <code>kind</code></td><td><code>readonly</code></td><td><code>&quot;approval&quot;</code> | <code>&quot;signal&quot;</code></td><td>Whether the run waits for the decision on a tool call, or a tool waits for a signal.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/bridge/type-aliases/PendingKey.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PendingKey = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PendingKey as default
};
