/**
 * Measures what a streamed part of a response costs with the events of a session's run stored and
 * read by a number of readers.
 *
 *     readers.ts PARTS
 *
 * Prints the CPU time per part, in microseconds, as one line of JSON: for an `AgentSession`, and
 * for sessions in memory and in an SQLite file with 0, 1, 4 and 100 readers.
 *
 * @module
 */

import { type LanguageModel, ToolLoopAgent } from "@parley/runtime";
import {
  AgentSession,
  memorySessions,
  memoryStorage,
  openSessions,
  type SessionStorage,
} from "@parley/runtime/session";
import { sqliteStorage } from "@parley/runtime/sqlite";
import { cpuUsedUs } from "../measure.ts";

const PART_MS = 4;
const READERS = [0, 1, 4, 100];

/** CPU time per streamed part, in microseconds. */
export interface ReaderCosts {
  readonly agentSession: number;
  /** Keyed by the number of readers. */
  readonly memory: Readonly<Record<string, number>>;
  readonly sqlite: Readonly<Record<string, number>>;
}

const parts = Number(Deno.args[0] ?? 500);

const model: LanguageModel = {
  modelId: "paced",
  generate: () => Promise.reject(new Error("the model only streams")),
  async *stream() {
    for (let n = 0; n < parts; n++) {
      await new Promise((resolve) => setTimeout(resolve, PART_MS));
      yield { type: "text-delta", delta: "word " };
    }
    yield {
      type: "finish",
      response: {
        message: { role: "assistant", content: [{ type: "text", text: "word ".repeat(parts) }] },
        finishReason: "stop",
      },
    };
  },
};

function agent(): ToolLoopAgent {
  return new ToolLoopAgent({ name: "a", model });
}

async function costOf(work: () => Promise<unknown>): Promise<number> {
  const before = cpuUsedUs();
  await work();
  return (cpuUsedUs() - before) / parts;
}

async function withReaders(storage: SessionStorage, readers: number): Promise<number> {
  await using sessions = openSessions({ storage, agent });
  return await costOf(async () => {
    const run = await sessions.send("chat", "go");
    await Promise.all(Array.from({ length: readers }, async () => {
      for await (const _ of run);
    }));
    while ((await sessions.state("chat")).status !== "idle") {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
}

const session = new AgentSession(agent(), { id: "s", store: memorySessions() });
const agentSession = await costOf(async () => {
  for await (const _ of session.stream("go"));
});
const folder = await Deno.makeTempDir();
const memory: Record<string, number> = {};
const sqlite: Record<string, number> = {};
for (const readers of READERS) {
  memory[readers] = await withReaders(memoryStorage(), readers);
  sqlite[readers] = await withReaders(sqliteStorage(`${folder}/${readers}.db`), readers);
}
await Deno.remove(folder, { recursive: true });
const costs: ReaderCosts = { agentSession, memory, sqlite };
console.log(JSON.stringify(costs));
