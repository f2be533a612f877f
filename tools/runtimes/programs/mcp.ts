/**
 * Uses `@parley/mcp`.
 *
 * @module
 */

import { HttpTransport, McpClient } from "@parley/mcp/client";
import { McpServer } from "@parley/mcp/server";
import { ADD } from "./add.ts";
import { checkEqual } from "./assertions.ts";

/** Creates a server with one tool, which reports progress. */
export function createAdder(): McpServer {
  const server = new McpServer({ name: "adder", version: "1.0.0" });
  server.registerTool(ADD, async ({ a, b }: { a: number; b: number }, { progress }) => {
    await progress(1, { total: 2 });
    return `${a + b}`;
  });
  return server;
}

/** Calls a server from `createAdder` over Streamable HTTP, in both protocol eras. */
export async function useMcpClient(url: string): Promise<void> {
  for (const protocol of ["auto", "modern", "legacy"] as const) {
    const client = new McpClient({ transport: new HttpTransport(url), protocol });
    await client.connect();
    try {
      const names = (await client.listTools()).map(({ name }) => name);
      checkEqual(names, ["add"], `no tools over HTTP, ${protocol}`);
      const steps: number[] = [];
      const { content } = await client.callTool("add", { a: 1, b: 2 }, {
        onProgress: ({ progress }) => steps.push(progress),
      });
      checkEqual(content, [{ type: "text", text: "3" }], `no result over HTTP, ${protocol}`);
      checkEqual(steps, [1], `no progress over HTTP, ${protocol}`);
      const { isError } = await client.callTool("add", { a: "1" });
      checkEqual(isError, true, `an invalid call over HTTP is not rejected, ${protocol}`);
    } finally {
      await client.disconnect();
    }
  }
}
