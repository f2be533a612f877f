/**
 * A process that executes durable runs in a PostgreSQL database and sends decisions, for a test in
 * which several processes do both at the same time. Commands are read from standard input, one per
 * line, and each prints one line:
 *
 * - `start RUN_ID`: starts a run whose tool call needs an approval.
 * - `wait RUN_ID`: prints the key of the approval when the run waits for it.
 * - `decide RUN_ID KEY COUNT`: sends the same approval COUNT times concurrently, and prints the
 *   outcomes as JSON.
 * - `end RUN_ID`: prints the status of the run when the run has ended.
 *
 * The tool inserts a row into the table `executed`.
 *
 * @module
 */

import process from "node:process";
import { createInterface } from "node:readline";
import { type LanguageModel, ToolLoopAgent } from "@parley/runtime";
import { pgBossRuns } from "@parley/runtime/pgboss";
import { openRuns, type Runs } from "@parley/runtime/runs";
import pg from "pg";
import { PgBoss } from "pg-boss";

const [connectionString = ""] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString });

/** Calls the tool once. A run that is continued by another process has a new agent. */
const MODEL: LanguageModel = {
  modelId: "payer",
  generate({ messages }) {
    const isPaid = messages.some(({ role }) => role === "tool");
    return Promise.resolve({
      message: {
        role: "assistant",
        content: isPaid
          ? [{ type: "text", text: "Paid" }]
          : [{ type: "tool-call", toolCallId: "c1", toolName: "pay", input: {} }],
      },
      finishReason: isPaid ? "stop" : "tool-calls",
    });
  },
};

function makeAgent(): ToolLoopAgent {
  return new ToolLoopAgent({
    name: "clerk",
    model: MODEL,
    tools: [{
      name: "pay",
      inputSchema: { type: "object" },
      execute: async (_, { idempotencyKey }) => {
        await pool.query("insert into executed values ($1)", [idempotencyKey]);
        return "ok";
      },
    }],
    approvalHandler: () => ({ decision: "defer" }),
  });
}

async function untilWaiting(runs: Runs, runId: string): Promise<string> {
  for (;;) {
    const { waitingFor } = await runs.result(runId, { until: "waiting" });
    const [wait] = waitingFor;
    if (wait !== undefined) return wait.key;
  }
}

async function handle(runs: Runs, line: string): Promise<string> {
  const [command, runId = "", key = "", count = "0"] = line.split(" ");
  switch (command) {
    case "start":
      return `${await runs.start({ runId, agent: "clerk", input: "Pay" })}`;
    case "wait":
      return await untilWaiting(runs, runId);
    case "decide":
      return JSON.stringify(
        await Promise.all(
          Array.from(
            { length: Number(count) },
            async () => (await runs.signal(runId, key, true)).outcome,
          ),
        ),
      );
    case "end":
      return (await runs.result(runId)).status;
    default:
      return "unknown command";
  }
}

const runs = openRuns(
  pgBossRuns({ PgBoss, connectionString, maxConnections: 4 }),
  { clerk: { version: "1", make: makeAgent } },
  { pollIntervalMs: 20 },
);
const working = runs.work();
for await (const line of createInterface({ input: process.stdin })) {
  console.log(await handle(runs, line));
}
await runs.close();
await working;
await pool.end();
