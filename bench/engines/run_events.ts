/**
 * Measures what it costs to store the events of durable runs: the CPU time per streamed delta.
 *
 * @module
 */

import { type LanguageModel, type ModelResponse, ToolLoopAgent } from "@parley/runtime";
import { memoryRuns, openRuns, type RunEngine } from "@parley/runtime/runs";
import { sqliteRuns } from "@parley/runtime/sqlite";
import { cpuUsedUs, median } from "../measure.ts";

/** Number of concurrent runs, and deltas of each. */
const RUNS = 8;
const DELTAS = 200;
/** Time between two deltas of a run, in milliseconds. */
const DELTA_MS = 5;
const ROUNDS = 3;

const model: LanguageModel = {
  modelId: "words",
  generate: () => Promise.resolve(answer()),
  async *stream() {
    for (let index = 0; index < DELTAS; index++) {
      yield { type: "text-delta", delta: "word " };
      await new Promise((resolve) => setTimeout(resolve, DELTA_MS));
    }
    yield { type: "finish", response: answer() };
  },
};

function answer(): ModelResponse {
  const text = "word ".repeat(DELTAS);
  return {
    message: { role: "assistant", content: [{ type: "text", text }] },
    finishReason: "stop",
  };
}

/** Returns the CPU time of the process per delta, in microseconds. */
async function measure(engine: RunEngine, storeEvents: boolean): Promise<number> {
  // The model also streams if the events are not stored.
  const onEvent = (): void => {};
  const make = () => new ToolLoopAgent({ name: "clerk", model, onEvent });
  await using runs = openRuns(engine, { clerk: { version: "1", make } }, { storeEvents });
  const ids = Array.from({ length: RUNS }, (_, index) => `r${index}`);
  for (const runId of ids) await runs.start({ runId, agent: "clerk", input: "Go" });
  const before = cpuUsedUs();
  const working = runs.work({ concurrency: RUNS });
  const ended = await Promise.all(ids.map((runId) => runs.result(runId)));
  const cpu = cpuUsedUs() - before;
  await runs.close();
  await working;
  if (ended.some(({ status }) => status !== "done")) {
    throw new Error("Cannot measure: a run has not completed");
  }
  return cpu / RUNS / DELTAS;
}

/** Returns the CPU time per delta in microseconds, with and without stored events. */
export async function measureRunEvents(): Promise<ReadonlyMap<string, number>> {
  const folder = await Deno.makeTempDir();
  const engines = {
    memory: () => memoryRuns(),
    SQLite: () => sqliteRuns(`${folder}/${crypto.randomUUID()}.db`),
  };
  const rounds = new Map<string, number[]>();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, open] of Object.entries(engines)) {
      for (const storeEvents of [false, true]) {
        const us = await measure(open(), storeEvents);
        const row = `${name}, ${storeEvents ? "with" : "without"} stored events`;
        // The first round warms up the code.
        if (round > 0) rounds.set(row, [...rounds.get(row) ?? [], us]);
      }
    }
  }
  await Deno.remove(folder, { recursive: true });
  return new Map([...rounds].map(([row, us]) => [row, median(us)]));
}
