import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: ToolResult","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/runtime/mod/interfaces/ToolResult.md","filePath":"api/runtime/mod/interfaces/ToolResult.md"}');
const _sfc_main = { name: "api/runtime/mod/interfaces/ToolResult.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-toolresult" tabindex="-1">Interface: ToolResult <a class="header-anchor" href="#interface-toolresult" aria-label="Permalink to &quot;Interface: ToolResult&quot;">​</a></h1><p>The result of a tool call, as plain data. A failure is described by a code and a message rather than an error object.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-code"></a> <code>code?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/ToolResultCode"><code>ToolResultCode</code></a></td><td>Reason for the failure. Absent if the call succeeded or the tool itself returned the error.</td></tr><tr><td><a id="property-durationms"></a> <code>durationMs</code></td><td><code>readonly</code></td><td><code>number</code></td><td>Execution time in whole milliseconds; 0 if the tool was not started.</td></tr><tr><td><a id="property-iserror"></a> <code>isError</code></td><td><code>readonly</code></td><td><code>boolean</code></td><td>Whether the call failed or was denied.</td></tr><tr><td><a id="property-istruncated"></a> <code>isTruncated?</code></td><td><code>readonly</code></td><td><code>true</code></td><td>Whether the value that the tool returned was truncated to <code>maxToolOutputChars</code> or <code>maxToolFileChars</code>.</td></tr><tr><td><a id="property-output"></a> <code>output</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/ToolResultOutput"><code>ToolResultOutput</code></a></td><td>Output that the model receives.</td></tr><tr><td><a id="property-provideroptions"></a> <code>providerOptions?</code></td><td><code>readonly</code></td><td><a href="./../type-aliases/ProviderOptions"><code>ProviderOptions</code></a></td><td>Provider-specific data.</td></tr><tr><td><a id="property-toolcallid"></a> <code>toolCallId</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Id of the tool call.</td></tr><tr><td><a id="property-toolname"></a> <code>toolName</code></td><td><code>readonly</code></td><td><code>string</code></td><td>Name of the tool, as in the call.</td></tr><tr><td><a id="property-type"></a> <code>type</code></td><td><code>readonly</code></td><td><code>&quot;tool-result&quot;</code></td><td>Type of the part.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/runtime/mod/interfaces/ToolResult.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const ToolResult = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  ToolResult as default
};
