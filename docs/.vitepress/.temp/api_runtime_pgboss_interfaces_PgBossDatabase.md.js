import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PgBossDatabase","description":"","frontmatter":{},"headers":[{"level":2,"title":"Methods","slug":"methods","link":"#methods","children":[{"level":3,"title":"executeSql()","slug":"executesql","link":"#executesql","children":[]}]}],"relativePath":"api/runtime/pgboss/interfaces/PgBossDatabase.md","filePath":"api/runtime/pgboss/interfaces/PgBossDatabase.md"}');
const _sfc_main = { name: "api/runtime/pgboss/interfaces/PgBossDatabase.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-pgbossdatabase" tabindex="-1">Interface: PgBossDatabase <a class="header-anchor" href="#interface-pgbossdatabase" aria-label="Permalink to &quot;Interface: PgBossDatabase&quot;">​</a></h1><p>Executes SQL: the interface of pg-boss to a database, which its adapters <code>fromKnex</code>, <code>fromKysely</code>, <code>fromDrizzle</code> and <code>fromPrisma</code> implement. For a client or transaction of the package <code>pg</code>, use <code>{ executeSql: (text, values) =&gt; client.query(text, values) }</code>.</p><h2 id="methods" tabindex="-1">Methods <a class="header-anchor" href="#methods" aria-label="Permalink to &quot;Methods&quot;">​</a></h2><h3 id="executesql" tabindex="-1">executeSql() <a class="header-anchor" href="#executesql" aria-label="Permalink to &quot;executeSql()&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;">executeSql</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">(text, values</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">?</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">)</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">:</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> Promise</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">&lt;{</span></span>
<span class="line"><span style="--shiki-light:#702C00;--shiki-dark:#FFB757;">  rows</span><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">:</span><span style="--shiki-light:#023B95;--shiki-dark:#91CBFF;"> unknown</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">[];</span></span>
<span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">}&gt;;</span></span></code></pre></div><p>Executes SQL and returns the rows.</p><h4 id="parameters" tabindex="-1">Parameters <a class="header-anchor" href="#parameters" aria-label="Permalink to &quot;Parameters&quot;">​</a></h4><table tabindex="0"><thead><tr><th>Parameter</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><code>text</code></td><td><code>string</code></td><td>SQL with parameters such as <code>$1</code>.</td></tr><tr><td><code>values?</code></td><td><code>unknown</code>[]</td><td>Values of the parameters.</td></tr></tbody></table><h4 id="returns" tabindex="-1">Returns <a class="header-anchor" href="#returns" aria-label="Permalink to &quot;Returns&quot;">​</a></h4><p><code>Promise</code>&lt;{ <code>rows</code>: <code>unknown</code>[]; }&gt;</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/pgboss/interfaces/PgBossDatabase.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PgBossDatabase = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PgBossDatabase as default
};
