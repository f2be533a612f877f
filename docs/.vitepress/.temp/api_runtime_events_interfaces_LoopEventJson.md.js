import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: LoopEventJson","description":"","frontmatter":{},"headers":[{"level":2,"title":"Indexable","slug":"indexable","link":"#indexable","children":[]},{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/events/interfaces/LoopEventJson.md","filePath":"api/runtime/events/interfaces/LoopEventJson.md"}');
const _sfc_main = { name: "api/runtime/events/interfaces/LoopEventJson.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-loopeventjson" tabindex="-1">Interface: LoopEventJson <a class="header-anchor" href="#interface-loopeventjson" aria-label="Permalink to &quot;Interface: LoopEventJson&quot;">​</a></h1><p>An event as JSON. Members that are not listed here depend on the <code>type</code>; see <a href="./../functions/toEventJson"><code>toEventJson</code></a>.</p><h2 id="indexable" tabindex="-1">Indexable <a class="header-anchor" href="#indexable" aria-label="Permalink to &quot;Indexable&quot;">​</a></h2><div class="language-ts vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">ts</span><pre class="shiki shiki-themes github-light-high-contrast github-dark-high-contrast vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#0E1116;--shiki-dark:#F0F3F6;">[member: string]: JsonValue</span></span></code></pre></div><p>The members that depend on the <code>type</code>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-at"></a> <code>at</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Time of the event, in milliseconds since the Unix epoch.</td></tr><tr><td><a id="property-path"></a> <code>path</code></td><td><code>readonly</code></td><td>readonly <code>string</code>[]</td><td>Agent names from the outermost agent to the running agent.</td></tr><tr><td><a id="property-runid"></a> <code>runId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the run.</td></tr><tr><td><a id="property-type"></a> <code>type</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Type of the event, as in <code>LoopEvent</code>.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/events/interfaces/LoopEventJson.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const LoopEventJson = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  LoopEventJson as default
};
