/**
 * A durable run on SQLite. One process starts the run and exits while the run waits for a payment.
 * Another process, possibly on another day, continues the run from the file and does not repeat
 * recorded steps.
 *
 *     deno run --allow-read=. --allow-write=. examples/durable_run/main.ts orders.db start
 *     deno run --allow-read=. --allow-write=. examples/durable_run/main.ts orders.db pay
 *
 * @module
 */

import { type ModelRequest, type Tool, ToolLoopAgent } from "@parley/runtime";
import { openRuns, readRunResult } from "@parley/runtime/runs";
import { sqliteRuns } from "@parley/runtime/sqlite";
import { scriptedModel } from "@parley/runtime/testing";

const [file, command, ...more] = Deno.args;
if (file === undefined || !["start", "pay"].includes(command ?? "") || more.length > 0) {
  console.error("Usage: main.ts FILE start|pay");
  Deno.exit(2);
}

const reserve: Tool = {
  name: "reserve",
  description: "Reserves the goods",
  inputSchema: { type: "object" },
  execute: () => {
    console.log("Reserved the goods");
    return "reserved";
  },
};

const ship: Tool = {
  name: "ship",
  description: "Ships the order when it is paid",
  inputSchema: { type: "object" },
  execute: async (_input, { wait }) => {
    // While the tool waits, the run occupies no worker.
    const payment = await wait("payment");
    console.log(`Shipped after the payment ${JSON.stringify(payment)}`);
    return "shipped";
  },
};

/**
 * Returns the next response. The response depends only on the conversation, so any process can
 * continue the run.
 */
function respond({ messages }: ModelRequest) {
  const results = messages.filter(({ role }) => role === "tool").length;
  const toolName = ["reserve", "ship"][results];
  return toolName === undefined ? { text: "Order 7 is on its way." } : { calls: [{ toolName }] };
}

const clerk = {
  version: "1",
  make: () =>
    new ToolLoopAgent({
      name: "clerk",
      model: scriptedModel([respond, respond, respond]),
      tools: [reserve, ship],
    }),
};

const runs = openRuns(sqliteRuns(file), { clerk });
const working = runs.work();
// If the run already exists, `start` does not start a second run.
await runs.start({ runId: "order-7", agent: "clerk", input: "Ship order 7" });
if (command === "pay") await runs.signal("order-7", "payment", { euros: 60 });

const until = command === "pay" ? "ended" : "waiting";
const run = await runs.result("order-7", { until });
for (const { key, kind } of run.waitingFor) console.log(`Waiting for the ${kind} "${key}"`);
// The result is `undefined` unless the run is done.
const result = readRunResult(run);
if (result) console.log(result.finalText);
await runs.close();
await working;
