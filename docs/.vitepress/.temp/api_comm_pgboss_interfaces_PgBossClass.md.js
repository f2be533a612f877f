import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: PgBossClass","description":"","frontmatter":{},"headers":[{"level":2,"title":"Constructors","slug":"constructors","link":"#constructors","children":[{"level":3,"title":"Constructor","slug":"constructor","link":"#constructor","children":[]}]}],"relativePath":"api/comm/pgboss/interfaces/PgBossClass.md","filePath":"api/comm/pgboss/interfaces/PgBossClass.md"}');
const _sfc_main = { name: "api/comm/pgboss/interfaces/PgBossClass.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-pgbossclass" tabindex="-1">Interface: PgBossClass <a class="header-anchor" href="#interface-pgbossclass" aria-label="Permalink to &quot;Interface: PgBossClass&quot;">​</a></h1><p>The class <code>PgBoss</code> of the package <code>pg-boss</code>, version 12.38 or later.</p><h2 id="constructors" tabindex="-1">Constructors <a class="header-anchor" href="#constructors" aria-label="Permalink to &quot;Constructors&quot;">​</a></h2><h3 id="constructor" tabindex="-1">Constructor <a class="header-anchor" href="#constructor" aria-label="Permalink to &quot;Constructor&quot;">​</a></h3><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#A0111F;--shiki-dark:#FF9492;">new</span><span style="--shiki-light:#622CBC;--shiki-dark:#DBB7FF;"> PgBossClass</span><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">(settings): PgBossInstance;</span></span></code></pre></div><p>Creates an instance.</p><h4 id="parameters" tabindex="-1">Parameters <a class="header-anchor" href="#parameters" aria-label="Permalink to &quot;Parameters&quot;">​</a></h4><table tabindex="0"><thead><tr><th>Parameter</th><th>Type</th></tr></thead><tbody><tr><td><code>settings</code></td><td><a href="./PgBossSettings"><code>PgBossSettings</code></a></td></tr></tbody></table><h4 id="returns" tabindex="-1">Returns <a class="header-anchor" href="#returns" aria-label="Permalink to &quot;Returns&quot;">​</a></h4><p><a href="./PgBossInstance"><code>PgBossInstance</code></a></p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/pgboss/interfaces/PgBossClass.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const PgBossClass = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  PgBossClass as default
};
