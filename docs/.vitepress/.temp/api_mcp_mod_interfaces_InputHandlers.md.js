import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Interface: InputHandlers","description":"","frontmatter":{},"headers":[{"level":2,"title":"Properties","slug":"properties","link":"#properties","children":[]}],"relativePath":"api/mcp/mod/interfaces/InputHandlers.md","filePath":"api/mcp/mod/interfaces/InputHandlers.md"}');
const _sfc_main = { name: "api/mcp/mod/interfaces/InputHandlers.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="interface-inputhandlers" tabindex="-1">Interface: InputHandlers <a class="header-anchor" href="#interface-inputhandlers" aria-label="Permalink to &quot;Interface: InputHandlers&quot;">​</a></h1><p>Handlers for input requests and, in the legacy era, server requests. The client declares each capability only if the handler for that capability is set.</p><h2 id="properties" tabindex="-1">Properties <a class="header-anchor" href="#properties" aria-label="Permalink to &quot;Properties&quot;">​</a></h2><table tabindex="0"><thead><tr><th>Property</th><th>Modifier</th><th>Type</th><th>Description</th></tr></thead><tbody><tr><td><a id="property-createmessage"></a> <code>createMessage?</code></td><td><code>readonly</code></td><td>(<code>params</code>, <code>signal</code>) =&gt; | <a href="./CreateMessageResult"><code>CreateMessageResult</code></a> | <code>Promise</code>&lt;<a href="./CreateMessageResult"><code>CreateMessageResult</code></a>&gt;</td><td>Requests a message from the client&#39;s model (sampling). The user should be able to review the request and the response.</td></tr><tr><td><a id="property-elicit"></a> <code>elicit?</code></td><td><code>readonly</code></td><td>(<code>params</code>, <code>signal</code>) =&gt; | <a href="./ElicitResult"><code>ElicitResult</code></a> | <code>Promise</code>&lt;<a href="./ElicitResult"><code>ElicitResult</code></a>&gt;</td><td>Requests input from the user with a form (elicitation). Fields that are missing from an accepted form are set to the defaults in the form&#39;s schema.</td></tr><tr><td><a id="property-eliciturl"></a> <code>elicitUrl?</code></td><td><code>readonly</code></td><td>(<code>params</code>, <code>signal</code>) =&gt; | <a href="./ElicitResult"><code>ElicitResult</code></a> | <code>Promise</code>&lt;<a href="./ElicitResult"><code>ElicitResult</code></a>&gt;</td><td>Requests that the user visits a URL (elicitation in URL mode). Called only with HTTP and HTTPS URLs that contain no credentials, in normalized form. Show the whole URL, and open it only after the user has agreed: the server chooses the URL.</td></tr><tr><td><a id="property-listroots"></a> <code>listRoots?</code></td><td><code>readonly</code></td><td>(<code>signal</code>) =&gt; | readonly <a href="./../../protocol/interfaces/Root"><code>Root</code></a>[] | <code>Promise</code>&lt;readonly <a href="./../../protocol/interfaces/Root"><code>Root</code></a>[]&gt;</td><td>Returns the client&#39;s roots, which are the folders that servers may use.</td></tr></tbody></table></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("api/mcp/mod/interfaces/InputHandlers.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const InputHandlers = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  InputHandlers as default
};
