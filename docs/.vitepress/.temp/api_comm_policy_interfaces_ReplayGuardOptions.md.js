import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ReplayGuardOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/comm/policy/interfaces/ReplayGuardOptions.md","filePath":"api/comm/policy/interfaces/ReplayGuardOptions.md"}');
const _sfc_main = { name: "api/comm/policy/interfaces/ReplayGuardOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-replayguardoptions" tabindex="-1">Interface: ReplayGuardOptions <a class="header-anchor" href="#interface-replayguardoptions" aria-label="Permalink to &quot;Interface: ReplayGuardOptions&quot;">​</a></h1><p>Options for <a href="./../classes/ReplayGuard"><code>ReplayGuard</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-maxchars"></a> <code>maxChars?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum total length of the stored keys, in characters. A key consists of sender and id. A key of more than 256 characters is stored as a digest of 43 characters. <strong>Default</strong> <code>{16_000_000}</code></td></tr><tr><td><a id="property-maxentries"></a> <code>maxEntries?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum number of tracked messages. Beyond this limit, new messages are rejected; no entry is evicted before it expires. <strong>Default</strong> <code>{100_000}</code></td></tr><tr><td><a id="property-maxsharepersender"></a> <code>maxSharePerSender?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum share of <code>maxEntries</code> and of <code>maxChars</code> per sender, greater than 0 and at most 1. Every sender may use at least one entry. DIDs are free to create, so the share does not limit an attacker who signs with many keys; the policy can limit the senders. <strong>Default</strong> <code>{0.1}</code></td></tr><tr><td><a id="property-now"></a> <code>now?</code></td><td><code>readonly</code></td><td>() =&gt; <code>number</code></td><td>Returns the current time, in milliseconds. Defaults to <code>Date.now</code>.</td></tr><tr><td><a id="property-ttlms"></a> <code>ttlMs?</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Maximum time for which a message is tracked, in milliseconds. <strong>Default</strong> <code>{600_000}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/comm/policy/interfaces/ReplayGuardOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ReplayGuardOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ReplayGuardOptions as default
};
