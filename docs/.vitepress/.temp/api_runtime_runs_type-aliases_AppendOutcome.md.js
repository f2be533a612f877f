import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: AppendOutcome","description":"","frontmatter":{},"headers":[],"relativePath":"api/runtime/runs/type-aliases/AppendOutcome.md","filePath":"api/runtime/runs/type-aliases/AppendOutcome.md"}');
const _sfc_main = { name: "api/runtime/runs/type-aliases/AppendOutcome.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-appendoutcome" tabindex="-1">Type Alias: AppendOutcome <a class="header-anchor" href="#type-alias-appendoutcome" aria-label="Permalink to &quot;Type Alias: AppendOutcome&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> AppendOutcome</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;stored&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;present&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;fenced&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Outcome of <a href="./../interfaces/RunJournal#append"><code>RunJournal.append</code></a>:</p><ul><li><code>&quot;stored&quot;</code>: the step is recorded.</li><li><code>&quot;present&quot;</code>: the run already has a step with this key, which stays unchanged.</li><li><code>&quot;fenced&quot;</code>: the run was opened again, cancelled or closed, and the worker must stop.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/runs/type-aliases/AppendOutcome.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const AppendOutcome = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  AppendOutcome as default
};
