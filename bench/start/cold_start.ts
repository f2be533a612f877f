/**
 * Measures the start of stdio servers on Node.js: the time from the start of the process to its
 * first tool result.
 *
 * @module
 */

import { spawn } from "node:child_process";

/** Number of processes per server. */
const ROUNDS = 15;

const REQUESTS = {
  initialize: {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "bench", version: "1.0.0" },
    },
  },
  initialized: { jsonrpc: "2.0", method: "notifications/initialized" },
  call: {
    jsonrpc: "2.0",
    id: 2,
    method: "tools/call",
    params: { name: "add", arguments: { a: 1, b: 2 } },
  },
} as const;

/**
 * Measures servers, which take turns. Returns the shortest time of each, in milliseconds.
 *
 * @param programs Path of the program of each server, keyed by name.
 */
export async function coldStarts(
  node: string,
  programs: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, number>> {
  const best = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, program] of programs) {
      const ms = await timeStart(node, program);
      best.set(name, Math.min(ms, best.get(name) ?? Infinity));
    }
  }
  return best;
}

/** Starts a server, calls its tool and stops it. Returns the time until the result. */
async function timeStart(node: string, program: string): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(node, [program], { stdio: ["pipe", "pipe", "ignore"] });
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const send = (message: object): boolean => child.stdin.write(`${JSON.stringify(message)}\n`);
  send(REQUESTS.initialize);
  let elapsedMs: number | undefined;
  for await (const line of lines(child.stdout)) {
    const { id, result } = JSON.parse(line);
    if (id === REQUESTS.initialize.id) {
      send(REQUESTS.initialized);
      send(REQUESTS.call);
    } else if (id === REQUESTS.call.id) {
      elapsedMs = performance.now() - startedAt;
      if (result.content[0].text !== "3") throw new Error(`Cannot measure ${program}: ${line}`);
      break;
    }
  }
  child.kill("SIGKILL");
  await exited;
  if (elapsedMs === undefined) throw new Error(`Cannot measure ${program}: it sent no result`);
  return elapsedMs;
}

async function* lines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const complete = text.split("\n");
    text = complete.pop() ?? "";
    yield* complete.filter((line) => line !== "");
  }
}
