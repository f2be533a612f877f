/**
 * Operations on the tools of MCP servers, whose lists and results come from the host.
 *
 * @module
 */

import {
  AgentError,
  jsonSchemaValidator,
  type McpToolLike,
  type McpToolOptions,
  type McpToolSource,
} from "@parley/runtime";
import type { Fields, HostClient, Operation } from "./operation.ts";
import { agentOf } from "./runtime.ts";
import { observerOf } from "./runtime_observer.ts";

/** Implementations of the operations, keyed by operation name. */
export const MCP_TOOL_OPS: Readonly<Record<string, Operation>> = {
  "runtime.registry.registerMcp": async (call) => {
    const { args, host, signal } = call;
    const { follow, hidden, observer, replace } = args;
    const options = {
      ...toMcpOptions(args),
      ...(args.signal === undefined
        ? {}
        : { signal: args.signal === "aborted" ? AbortSignal.abort() : signal }),
      ...(typeof follow === "boolean" ? { follow } : {}),
      ...(hidden === true ? { hidden } : {}),
      ...(replace === true ? { replace } : {}),
      onError: (error: unknown) => {
        if (observer === undefined) return;
        observerOf(call.handles.get(observer)).errors.push({ message: String(error) });
      },
    };
    const { registry } = agentOf(call);
    return { names: await registry.registerMcp(toSource(args, host), options) };
  },
};

function toMcpOptions({ meta, only, prefix, trustHints, validates }: Fields): McpToolOptions {
  return {
    ...(typeof prefix === "string" ? { prefix } : {}),
    ...(Array.isArray(only) ? { filter: (name) => only.includes(name) } : {}),
    ...(typeof trustHints === "boolean" ? { trustHints } : {}),
    ...(validates === true ? { validator: jsonSchemaValidator() } : {}),
    ...(meta === true ? { meta: ({ idempotencyKey }) => ({ key: idempotencyKey }) } : {}),
  };
}

/**
 * Creates a client whose lists of tools and results come from the host's tools `list` and `call`.
 */
function toSource({ follow }: Fields, host: HostClient): McpToolSource {
  const list = async (signal?: AbortSignal): Promise<unknown> =>
    await host.call("tool.execute", { name: "list" }, signal).catch((cause) => {
      signal?.throwIfAborted();
      throw AgentError.core(String(cause));
    });
  return {
    // The cast is unchecked, because the library validates the tools.
    listTools: async ({ signal } = {}) => await list(signal) as readonly McpToolLike[],
    callTool: async (toolName, input, { meta, signal } = {}) =>
      await host.call("tool.execute", { name: "call", toolName, input, meta }, signal),
    ...(follow === true
      ? {
        async *watchTools({ signal } = {}) {
          for (;;) {
            const listed = await list(signal);
            if (listed === null) return;
            yield listed as readonly McpToolLike[];
          }
        },
      }
      : {}),
  };
}
