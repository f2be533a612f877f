/**
 * A program that serves runs of 500 text deltas, and prints the memory in bytes that each ended run
 * takes besides its row in the storage, as JSON. Requires `--v8-flags=--expose-gc`.
 *
 * @module
 */

import { ToolLoopAgent } from "../../agent/agent.ts";
import { serveSessions } from "../../serve/serve_sessions.ts";
import type { LanguageModel } from "../../shared/model.ts";
import { sqliteStorage } from "../../sqlite.ts";

const DELTAS = 500;
const RUNS = 300;

const model: LanguageModel = {
  modelId: "words",
  generate: () => Promise.reject(new Error("only streams")),
  async *stream() {
    for (let count = 0; count < DELTAS; count++) yield { type: "text-delta", delta: "word " };
    yield {
      type: "finish",
      response: {
        message: { role: "assistant", content: [{ type: "text", text: "word ".repeat(DELTAS) }] },
        finishReason: "stop",
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      },
    };
  },
};

/** Returns the size of the heap after garbage collection. */
function heapUsed(): number {
  const gc: unknown = Reflect.get(globalThis, "gc");
  if (typeof gc !== "function") throw new Error("pass --v8-flags=--expose-gc");
  for (let count = 0; count < 4; count++) gc();
  return Deno.memoryUsage().heapUsed;
}

const served = serveSessions({
  storage: sqliteStorage(":memory:"),
  make: () => new ToolLoopAgent({ name: "a", model }),
  flushMs: 0,
});

async function serve(count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    const run = await served.start({ subject: `user-${number % 10}` }, { turn: "Go" });
    for await (const _ of run.events());
    await run.settled();
  }
}

await serve(RUNS);
const before = heapUsed();
await serve(RUNS);
const bytesPerRun = Math.round((heapUsed() - before) / RUNS);
console.log(JSON.stringify({ bytesPerRun }));
await served.close();
