/**
 * A program that ends while the events of its run are kept. The command-line argument is the
 * engine: `memory` or `sqlite`.
 *
 * @module
 */

import process from "node:process";
import { ToolLoopAgent } from "../../agent/agent.ts";
import { memoryRuns, openRuns } from "../../runs.ts";
import { sqliteRuns } from "../../sqlite.ts";
import { scriptedModel } from "../../testing.ts";

function make(): ToolLoopAgent {
  return new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "Hello" }]) });
}

const engine = process.argv[2] === "sqlite" ? sqliteRuns(":memory:") : memoryRuns();
const runs = openRuns(engine, { clerk: { version: "1", make } }, {
  storeEvents: true,
  keepEndedMs: 3_600_000,
});
const stopped = new AbortController();
const working = runs.work({ signal: stopped.signal });
await runs.start({ runId: "r1", agent: "clerk", input: "Hi" });
let text = "";
for await (const { event } of await runs.attach("r1") ?? []) {
  if (event.type === "text_delta") text += event.text;
}
stopped.abort();
await working;
// The runs are not closed, so the timer after which the events are deleted is still set.
process.stdout.write(`${text}\n`);
