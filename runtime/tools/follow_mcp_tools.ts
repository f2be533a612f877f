/**
 * Follows changes to the tools of a Model Context Protocol server.
 *
 * @module
 */

import { toSignalOptions } from "@parley/internal/read-signal";
import type { McpToolLike, McpToolSource } from "./mcp_tools.ts";

/** Options for {@linkcode followMcpTools}. */
export interface FollowMcpToolsOptions {
  /** Signal that ends the iteration. */
  readonly signal: AbortSignal | undefined;
  /** Called with errors after the first call to `update`. */
  readonly report: (error: unknown) => void;
}

/**
 * Calls `update` with the current tools of a server, and again after each change. Returns after the
 * first call to `update`, which is no longer called when the iteration of `source` has ended or the
 * signal is aborted.
 *
 * @param source The MCP client, with `watchTools`.
 * @param update Called with each list of tools. An exception from any call after the first is
 * reported.
 * @param options Signal and the function that reports errors.
 * @throws The error from the first request for the tools, or from the first call to `update`.
 */
export async function followMcpTools(
  source: McpToolSource,
  update: (listed: readonly McpToolLike[]) => Promise<void>,
  { report, signal }: FollowMcpToolsOptions,
): Promise<void> {
  const lists = source.watchTools?.(toSignalOptions(signal));
  if (lists === undefined) return;
  const isFollowing = Promise.withResolvers<void>();
  let isFirst = true;
  const follow = async (): Promise<void> => {
    for await (const listed of lists) {
      if (!isFirst && signal?.aborted) return;
      try {
        await update(listed);
      } catch (error) {
        if (isFirst) throw error;
        if (!signal?.aborted) report(error);
      }
      isFirst = false;
      isFollowing.resolve();
    }
  };
  follow().then(isFollowing.resolve, (error) => {
    if (isFirst) isFollowing.reject(error);
    else if (!signal?.aborted) report(error);
  });
  await isFollowing.promise;
}
