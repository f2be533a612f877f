/**
 * A server on loopback that tells what it holds: `/load` gives the bytes of its heap and how many calls are under way.
 * Needs `--v8-flags=--expose-gc`. Its arguments are bounds.
 *
 * @module
 */

import { mcpHandler, McpServer } from "../../server.ts";

const [maxSessions = "1000"] = Deno.args;
const server = new McpServer({ name: "loaded", version: "1.0.0" });
const KILOBYTE = "x".repeat(1000);
let underWay = 0;

server.registerTool(
  { name: "pour", description: "Reports progress of a kilobyte, again and again" },
  async (_args: unknown, { progress, signal }) => {
    underWay++;
    try {
      for (let done = 1; done <= 20_000 && !signal.aborted; done++) {
        await progress(done, { message: KILOBYTE });
      }
      return "done";
    } finally {
      underWay--;
    }
  },
);

/** What is in use once everything that can go has gone. */
async function heapUsed(): Promise<number> {
  const gc: unknown = Reflect.get(globalThis, "gc");
  if (typeof gc !== "function") throw new Error("Start this with --v8-flags=--expose-gc");
  for (let turns = 0; turns < 4; turns++) {
    gc();
    await new Promise((resolve) => setTimeout(resolve));
  }
  return Deno.memoryUsage().heapUsed;
}

const handler = mcpHandler(server, { sessions: { maxSessions: Number(maxSessions) } });
const listening = Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => Deno.stdout.writeSync(new TextEncoder().encode(`${port}\n`)),
}, async (request) => {
  if (new URL(request.url).pathname !== "/load") return await handler(request);
  return Response.json({ heap: await heapUsed(), underWay });
});

// It ends with its input.
for await (const _chunk of Deno.stdin.readable);
await handler.close();
await listening.shutdown();
