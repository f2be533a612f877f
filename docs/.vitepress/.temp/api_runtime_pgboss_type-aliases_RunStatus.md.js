import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Type Alias: RunStatus","description":"","frontmatter":{},"headers":[],"relativePath":"api/runtime/pgboss/type-aliases/RunStatus.md","filePath":"api/runtime/pgboss/type-aliases/RunStatus.md"}');
const _sfc_main = { name: "api/runtime/pgboss/type-aliases/RunStatus.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="type-alias-runstatus" tabindex="-1">Type Alias: RunStatus <a class="header-anchor" href="#type-alias-runstatus" aria-label="Permalink to &quot;Type Alias: RunStatus&quot;">​</a></h1><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">type</span><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;"> RunStatus</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> =</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;queued&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;running&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;waiting&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;done&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;failed&quot;</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;"> |</span><span style="--shiki-light:#032563;--shiki-dark:#ADDCFF;"> &quot;cancelled&quot;</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">;</span></span></code></pre></div><p>Status of a durable run:</p><ul><li><code>&quot;queued&quot;</code>: no worker has the run. The run is new, was put back, or received a signal that it waits for.</li><li><code>&quot;running&quot;</code>: a worker has the run, or had the run when it crashed.</li><li><code>&quot;waiting&quot;</code>: the run waits for signals or for a time. A waiting run occupies no worker.</li><li><code>&quot;done&quot;</code>: the run has a result.</li><li><code>&quot;failed&quot;</code>: the run has ended with an error.</li><li><code>&quot;cancelled&quot;</code>: the run was cancelled.</li></ul></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/pgboss/type-aliases/RunStatus.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RunStatus = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RunStatus as default
};
