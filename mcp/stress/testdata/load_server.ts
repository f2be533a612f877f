/**
 * A server on the loopback interface that reports its load. `/load` returns the memory usage in
 * bytes and the number of calls in progress. The optional argument sets the maximum number of
 * sessions. Requires `--v8-flags=--expose-gc`.
 *
 * @module
 */

import { mcpHandler, McpServer } from "../../server.ts";
import { memoryUsed } from "./memory_used.ts";

const [maxSessions = "1000"] = Deno.args;
const server = new McpServer({ name: "loaded", version: "1.0.0" });
const MUCH = "x".repeat(64_000);
let underWay = 0;

server.registerTool(
  { name: "pour", description: "Sends progress notifications of 64 kB" },
  async (_args: unknown, { progress, signal }) => {
    underWay++;
    try {
      for (let done = 1; done <= 300 && !signal.aborted; done++) {
        await progress(done, { message: MUCH });
      }
      return "done";
    } finally {
      underWay--;
    }
  },
);

const handler = mcpHandler(server, { sessions: { maxSessions: Number(maxSessions) } });
const listening = Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => Deno.stdout.writeSync(new TextEncoder().encode(`${port}\n`)),
}, async (request) => {
  if (new URL(request.url).pathname !== "/load") return await handler(request);
  return Response.json({ bytes: await memoryUsed(), underWay });
});

// The process exits when its input ends.
for await (const _chunk of Deno.stdin.readable);
await handler.close();
await listening.shutdown();
