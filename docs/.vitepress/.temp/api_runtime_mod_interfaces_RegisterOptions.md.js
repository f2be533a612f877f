import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: RegisterOptions","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/RegisterOptions.md","filePath":"api/runtime/mod/interfaces/RegisterOptions.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/RegisterOptions.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-registeroptions" tabindex="-1">Interface: RegisterOptions <a class="header-anchor" href="#interface-registeroptions" aria-label="Permalink to &quot;Interface: RegisterOptions&quot;">​</a></h1><p>Options for <a href="./../classes/ToolRegistry#register"><code>ToolRegistry.register</code></a>.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-hidden"></a> <code>hidden?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the tool is only for sub-agents. The model of an agent that uses this registry does not see a hidden tool and cannot call it. Sub-agents to which the tool is granted can see and call it. <strong>Default</strong> <code>{false}</code></td></tr><tr><td><a id="property-replace"></a> <code>replace?</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the tool may replace a registered tool with the same name. If <code>false</code>, registering a duplicate name throws an error. <strong>Default</strong> <code>{false}</code></td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/RegisterOptions.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const RegisterOptions = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  RegisterOptions as default
};
