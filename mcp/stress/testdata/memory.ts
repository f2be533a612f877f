/**
 * A program that sends thousands of odd frames to one server and prints how much memory that has left behind, in
 * bytes: first a warm-up, then the same again. Needs `--v8-flags=--expose-gc`.
 *
 * @module
 */

import fc from "fast-check";
import { mcpHandler } from "../../server.ts";
import { clientFrame } from "./frames.ts";
import { everythingServer } from "./subject.ts";

const frames = fc.sample(clientFrame, { numRuns: 1000, seed: 7 });
const server = everythingServer();
// Some of the frames open sessions of their own, which take the places of others.
const handler = mcpHandler(server, { sessions: { maxSessions: 10 } });

/** What the flag gives. */
function collect(): void {
  const gc: unknown = Reflect.get(globalThis, "gc");
  if (typeof gc !== "function") throw new Error("Start this with --v8-flags=--expose-gc");
  gc();
}

async function send(body: string | Uint8Array<ArrayBuffer>, session = ""): Promise<Response> {
  const response = await handler(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(session && { "mcp-session-id": session }),
      },
      body,
    }),
  );
  await response.text();
  return response;
}

/** One session: opened, filled with odd frames, left to its fate. */
async function round(): Promise<void> {
  const clientInfo = { name: "m", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const opened = await send(
    JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
  );
  const session = opened.headers.get("mcp-session-id") ?? "";
  for (const frame of frames) await send(frame, session);
  for (const frame of frames) await send(frame);
}

/** What is left once nothing waits for a turn to be cleaned up. */
async function heapAfter(rounds: number): Promise<number> {
  for (let done = 0; done < rounds; done++) await round();
  for (let turns = 0; turns < 4; turns++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve));
  }
  return Deno.memoryUsage().heapUsed;
}

const before = await heapAfter(20);
const after = await heapAfter(10);
await handler.close();
await Deno.stdout.write(new TextEncoder().encode(`${after - before}\n`));
