/**
 * Tool calls that are retried when a replica exits.
 *
 * @module
 */

import { setTimeout as delay } from "node:timers/promises";
import { type McpClient, McpError } from "@parley/mcp/client";
import type { McpToolSource } from "@parley/runtime";

const ATTEMPTS = 100;
const DELAY_MS = 200;

/** JSON-RPC error code for a task whose replica has exited. */
const INTERNAL_ERROR = -32603;

/**
 * Returns the tools of an MCP server. Calls to the tools are retried if a replica exits or its
 * connection is lost. An interrupted call may already have had its effect, so all tools of the
 * server must be idempotent.
 */
export function retryCalls(client: McpClient): McpToolSource {
  return {
    listTools: (options) => retry(() => client.listTools(options), options?.signal),
    callTool: (name, args, options) =>
      retry(() => client.callTool(name, args, options), options?.signal),
  };
}

/** Retries a request until a replica can handle it, with a limited number of attempts. */
export async function retry<T>(request: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await request();
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt === ATTEMPTS || !isTemporary(error)) throw error;
      await delay(DELAY_MS, undefined, signal && { signal });
    }
  }
}

function isTemporary(error: unknown): boolean {
  if (!(error instanceof McpError)) return false;
  const isInterrupted = error.code === "connection_failed" || error.code === "transport_error" ||
    error.code === "timeout";
  return isInterrupted || error.rpcCode === INTERNAL_ERROR;
}
