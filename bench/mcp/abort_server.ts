/**
 * HTTP server with a tool that waits until its call is aborted.
 *
 * @module
 */

import type { Commands } from "./child_protocol.ts";
import { serveParley } from "./http_server.ts";

/**
 * Starts the server. The `abortedAt` command returns the time at which the latest call was aborted.
 */
export async function serveWaiting(): Promise<Commands> {
  let abortedAt: Promise<number> | undefined;
  const port = await serveParley((server, name) => {
    server.registerTool(
      { name, description: "Waits until the call is aborted" },
      async (_args, { progress, signal }) => {
        abortedAt = new Promise((resolve) => {
          const onAbort = (): void => resolve(performance.timeOrigin + performance.now());
          signal.addEventListener("abort", onAbort, { once: true });
        });
        await progress(1);
        await abortedAt;
      },
    );
  }, 1);
  return { port: () => port, abortedAt: () => abortedAt };
}
