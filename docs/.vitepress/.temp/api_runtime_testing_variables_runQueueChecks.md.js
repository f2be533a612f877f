import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Variable: runQueueChecks","description":"","frontmatter":{},"headers":[{"level":2,"title":"Example","slug":"example","link":"#example","children":[]}],"relativePath":"api/runtime/testing/variables/runQueueChecks.md","filePath":"api/runtime/testing/variables/runQueueChecks.md"}');
const _sfc_main = { name: "api/runtime/testing/variables/runQueueChecks.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="variable-runqueuechecks" tabindex="-1">Variable: runQueueChecks <a class="header-anchor" href="#variable-runqueuechecks" aria-label="Permalink to &quot;Variable: runQueueChecks&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">const</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> runQueueChecks</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">:</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> readonly</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> EngineCheck</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">[];</span></span></code></pre></div><p>Checks of the <a href="./../../runs/interfaces/RunQueue"><code>RunQueue</code></a> of an engine. Each check is independent of the others and of the test runner.</p><h2 id="example" tabindex="-1">Example <a class="header-anchor" href="#example" aria-label="Permalink to &quot;Example&quot;">​</a></h2><p><strong>Run the checks for the in-memory engine</strong></p><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">import</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> { memoryRuns } </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">from</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;@parley/runtime/runs&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span>
<span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">import</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> { runQueueChecks } </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">from</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;@parley/runtime/testing&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span>
<span class="line"></span>
<span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">for</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> (</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">const</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> check</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> of</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> runQueueChecks) {</span></span>
<span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">  await</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> check.</span><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;">run</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">(() </span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">=&gt;</span><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;"> memoryRuns</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">({ retryDelayMs: </span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;">10</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;"> }));</span></span>
<span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">}</span></span></code></pre></div></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/testing/variables/runQueueChecks.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const runQueueChecks = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  runQueueChecks as default
};
