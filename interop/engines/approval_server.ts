/**
 * A process with a chat server and a PostgreSQL database, for tests that send the same approval to
 * one or two processes. The arguments are the connection string and the kind of journal:
 *
 * - `table`: the steps and the sessions of a chat are rows of tables. Each request reads the rows.
 * - `runs`: a chat message starts a durable run. The approval is a decision on the run, and the
 *   response contains its outcome and the result of the run.
 *
 * Each execution of the tool inserts a row, the id of the thread, into the table `executed`.
 *
 * @module
 */

import { type JsonValue, ToolLoopAgent } from "@parley/runtime";
import { type Journal, type JournalEntry, recordSteps } from "@parley/runtime/journal";
import { pgBossRuns } from "@parley/runtime/pgboss";
import { openRuns, readRunResult, type Runs } from "@parley/runtime/runs";
import type { SessionStore } from "@parley/runtime/session";
import { readUiTurn } from "@parley/runtime/ui/ai-sdk";
import pg from "pg";
import { PgBoss } from "pg-boss";
import {
  CHAT_MODEL,
  serveChat,
  serveUntilInputEnds,
} from "../../runtime/stress/testdata/chat_server.ts";

const [connectionString = "", kind = ""] = Deno.args;
const pool = new pg.Pool({ connectionString });

async function execute(threadId: string): Promise<void> {
  await pool.query("insert into executed values ($1)", [threadId]);
}

/** Reads the steps of a thread. A step of another process that is recorded later is not read. */
async function openTable(threadId: string): Promise<Journal> {
  const { rows } = await pool.query("select key, entry from step where thread = $1", [threadId]);
  const entries = new Map<string, JournalEntry>(rows.map(({ key, entry }) => [key, entry]));
  return {
    get: (key) => entries.get(key),
    async append(entry) {
      const values = [threadId, entry.key, JSON.stringify(entry)];
      await pool.query("insert into step values ($1, $2, $3)", values);
      entries.set(entry.key, entry);
    },
  };
}

const sessions: SessionStore = {
  async load(id): Promise<readonly JsonValue[]> {
    const { rows } = await pool.query("select record from turn where id = $1 order by n", [id]);
    return rows.map(({ record }) => record);
  },
  async append(id, record, n) {
    const sql = "insert into turn values ($1, $2, $3) on conflict do nothing";
    return (await pool.query(sql, [id, n, JSON.stringify(record)])).rowCount === 1;
  },
};

function serveTable(): Promise<void> {
  return serveUntilInputEnds(serveChat({
    store: sessions,
    open: async (threadId) => recordSteps(await openTable(threadId)),
    execute,
  }));
}

/** Starts a run for a message, or sends the decision of an approval. */
async function decideRun(runs: Runs, request: Request): Promise<Response> {
  const { decisions, threadId, turn } = readUiTurn(await request.json());
  if (turn !== undefined) {
    await runs.start({ runId: threadId, agent: "clerk", input: turn });
    for (;;) {
      const { waitingFor: [wait] } = await runs.result(threadId, { until: "waiting" });
      if (wait !== undefined) return Response.json({ approvalId: wait.key });
    }
  }
  const [[key, decision] = ["", undefined]] = Object.entries(decisions);
  const { outcome } = await runs.signal(threadId, key, decision?.decision === "approve");
  const run = await runs.result(threadId);
  return Response.json({ outcome, status: run.status, result: readRunResult(run) });
}

async function serveRuns(): Promise<void> {
  const engine = pgBossRuns({ PgBoss, connectionString, maxConnections: 4 });
  const make = () =>
    new ToolLoopAgent({
      name: "clerk",
      model: CHAT_MODEL,
      tools: [{
        name: "pay",
        inputSchema: { type: "object" },
        execute: async (_input: unknown, { runId }) => {
          await execute(runId);
          return "paid";
        },
      }],
      approvalHandler: () => ({ decision: "defer" }),
    });
  const runs = openRuns(engine, { clerk: { version: "1", make } }, { pollIntervalMs: 20 });
  const working = runs.work();
  const options = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  await serveUntilInputEnds(Deno.serve(options, (request) => decideRun(runs, request)));
  await runs.close();
  await working;
}

await (kind === "runs" ? serveRuns() : serveTable());
await pool.end();
