import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Parley","description":"","frontmatter":{"layout":"home","title":"Parley","hero":{"name":"Parley","text":"Agents, MCP and signed messages in TypeScript","tagline":"Independent packages for Deno, Node.js, Bun, workers and browsers, and a conformance kit for implementations in any language","actions":[{"theme":"brand","text":"Start","link":"/start/install"},{"theme":"alt","text":"MCP features","link":"/mcp/features/tools"},{"theme":"alt","text":"API reference","link":"/api/"}]},"features":[{"title":"Agents","details":"A tool loop over any language model, with approvals, limits, sub-agents, sessions and runs that continue after a crash.","link":"/start/agent"},{"title":"Model Context Protocol","details":"A client and a server for every protocol version from 2024-11-05 to 2026-07-28, over stdio, HTTP and custom transports.","link":"/start/server"},{"title":"Signed messages","details":"Messages between agents that are identified by DIDs, signed with Ed25519 over canonical JSON.","link":"/start/messages"},{"title":"Conformance kit","details":"Tests for implementations in any language, as JSON data with a runner, an HTML report and a GitHub Action.","link":"/kit/"}]},"headers":[],"relativePath":"index.md","filePath":"index.md"}');
const _sfc_main = { name: "index.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("index.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const index = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  index as default
};
