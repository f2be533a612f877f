/**
 * A server on loopback that tells what it holds: `/load` gives the bytes of its memory and how many calls are under way.
 * Needs `--v8-flags=--expose-gc`. Its arguments are bounds.
 *
 * @module
 */

import { mcpHandler, McpServer } from "../../server.ts";

const [maxSessions = "1000"] = Deno.args;
const server = new McpServer({ name: "loaded", version: "1.0.0" });
const MUCH = "x".repeat(64_000);
let underWay = 0;

server.registerTool(
  { name: "pour", description: "Reports progress of 64 kB, again and again" },
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

/** What is in use, buffers too, once everything that can go has gone. */
async function memoryUsed(): Promise<number> {
  const gc: unknown = Reflect.get(globalThis, "gc");
  if (typeof gc !== "function") throw new Error("Start this with --v8-flags=--expose-gc");
  for (let turns = 0; turns < 4; turns++) {
    gc();
    await new Promise((resolve) => setTimeout(resolve));
  }
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

const handler = mcpHandler(server, { sessions: { maxSessions: Number(maxSessions) } });
const listening = Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => Deno.stdout.writeSync(new TextEncoder().encode(`${port}\n`)),
}, async (request) => {
  if (new URL(request.url).pathname !== "/load") return await handler(request);
  return Response.json({ bytes: await memoryUsed(), underWay });
});

// It ends with its input.
for await (const _chunk of Deno.stdin.readable);
await handler.close();
await listening.shutdown();
