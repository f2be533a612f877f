/**
 * Requests the lists of a server.
 *
 * @module
 */

import type { McpClient } from "../client/client.ts";
import { RpcErrorCode } from "../jsonrpc/error_codes.ts";
import { McpError } from "../shared/error.ts";
import type { ServerLists } from "./items.ts";

/** Options for {@linkcode requestLists}. */
export interface RequestListsOptions {
  /** Whether the resources are requested. */
  readonly listResources: boolean;
  readonly signal: AbortSignal;
  /** Timeout for each list, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Requests the lists of a server. A list that the server does not implement is empty.
 *
 * @throws {McpError} If a request fails or a list is not valid.
 */
export async function requestLists(
  client: McpClient,
  { listResources, signal, timeoutMs }: RequestListsOptions,
): Promise<ServerLists> {
  const options = { signal, timeoutMs, maxTotalMs: timeoutMs };
  const [tools, resources, templates, prompts] = await Promise.all([
    listIfSupported(client.listTools(options)),
    listResources ? listIfSupported(client.listResources(options)) : [],
    listIfSupported(client.listResourceTemplates(options)),
    listIfSupported(client.listPrompts(options)),
  ]);
  return { tools, resources, templates, prompts };
}

/**
 * Returns an empty list if the server does not implement the method. Many servers do not implement
 * `resources/templates/list`.
 */
async function listIfSupported<T>(list: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await list;
  } catch (error) {
    if (error instanceof McpError && error.rpcCode === RpcErrorCode.MethodNotFound) return [];
    throw error;
  }
}
