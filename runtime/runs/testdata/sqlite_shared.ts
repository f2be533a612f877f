/**
 * A process that shares SQLite files with other programs on behalf of tests, which have no
 * permission to write files. Prints the outcomes of its commands as JSON. The commands are:
 *
 * - `migrate FOLDER`: opens files with tables of older versions, and executes their runs.
 * - `locked FOLDER`: uses a file that another connection has locked.
 * - `exclusive FOLDER`: opens a file that a program with an older version uses.
 * - `worker FILE`: executes runs of the agent `clerk`, and prints what happens to them, until its
 *   standard input ends.
 *
 * @module
 */

import { readFileSync } from "node:fs";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { ToolLoopAgent } from "../../mod.ts";
import { openRuns, readRunResult } from "../../runs.ts";
import { sqliteRuns } from "../../sqlite.ts";
import { createManualClock, scriptedModel } from "../../testing.ts";

const [command = "", path = ""] = process.argv.slice(2);

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Returns the message of the error that a call throws or rejects with, or `null`. */
async function errorOf(call: () => unknown): Promise<string | null> {
  try {
    await call();
    return null;
  } catch (error) {
    return String(Object(error).message).replaceAll(path, "");
  }
}

/** Executes the runs of a file that an older version has written, one at a time. */
async function migrate(version: number): Promise<unknown> {
  const file = `${path}/v${version}.db`;
  const database = new DatabaseSync(file);
  database.exec(readFileSync(new URL(`runs_v${version}.sql`, import.meta.url), "utf8"));
  database.close();
  const refused = await errorOf(() => sqliteRuns(file, { migrate: false }));
  const clock = createManualClock();
  const engine = sqliteRuns(file, { clock });
  const opened: string[] = [];
  const open = engine.journal.open.bind(engine.journal);
  engine.journal.open = (runId) => {
    opened.push(runId);
    return open(runId);
  };
  const errors: string[] = [];
  const onError = (error: unknown): void => void errors.push(String(error));
  const make = () => new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "Done" }]) });
  const runs = openRuns(engine, { clerk: { version: "1", make } }, { clock, onError });
  const working = runs.work({ concurrency: 1 });
  await runs.result("r1");
  if (version === 1) {
    await runs.signal("r4", "paid", 1);
    await runs.result("r4");
    clock.advance(86_400_499);
    opened.push("the last moment");
    clock.advance(1);
    await runs.result("r3");
  }
  const ended = await runs.list();
  await runs.close();
  await working;
  // The file has the new version, so it needs no migration.
  const again = await errorOf(() => sqliteRuns(file, { migrate: false })[Symbol.asyncDispose]());
  return {
    refused,
    // A worker may request a run again that has just ended.
    opened: [...new Set(opened)],
    ended: ended.map(({ party = null, runId, status }) => [runId, status, party]),
    errors,
    again,
  };
}

/** Uses the runs of a file with version 3, whose waits have no ids of tool calls. */
async function migrateSignals(): Promise<unknown> {
  const file = `${path}/v3.db`;
  const database = new DatabaseSync(file);
  database.exec(readFileSync(new URL("runs_v3.sql", import.meta.url), "utf8"));
  database.close();
  const refused = await errorOf(() => sqliteRuns(file, { migrate: false }));
  const make = () => new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "Done" }]) });
  const runs = openRuns(sqliteRuns(file), { clerk: { version: "1", make } });
  const updated = await runs.list({ order: "updated" });
  const waitingFor = [await runs.get("r1"), await runs.get("r3")].map((run) => run?.waitingFor);
  const [, done] = await runs.list();
  await runs.signal("r1", "0", "new");
  await runs.signal("r3", "paid", 1);
  const working = runs.work();
  const { status } = await runs.result("r3");
  await runs.start({ runId: "r6", agent: "clerk", input: "Go", metadata: { user: "ann" } });
  const signals = await Array.fromAsync(runs.signals("r1"));
  const decisions = await Array.fromAsync(runs.signals("r2"));
  const metadata = (await runs.get("r6"))?.metadata;
  await runs.close();
  await working;
  const again = await errorOf(() => sqliteRuns(file, { migrate: false })[Symbol.asyncDispose]());
  return {
    refused,
    updated: updated.map(({ runId }) => runId),
    waitingFor,
    result: done && readRunResult(done),
    status,
    signals,
    decisions,
    metadata,
    again,
  };
}

/** Uses a file while another connection has a transaction open. */
async function useLocked(): Promise<unknown> {
  const file = `${path}/runs.db`;
  const errors: unknown[] = [];
  const reported = Promise.withResolvers<void>();
  const onError = (error: unknown): void => {
    errors.push(Object(error).message.replaceAll(path, ""));
    reported.resolve();
  };
  const options = { busyTimeoutMs: 20, pollIntervalMs: 1, leaseMs: 100, onError };
  const runs = openRuns(sqliteRuns(file, options), { clerk });
  const other = new DatabaseSync(file);
  const start = () => runs.start({ runId: "r1", agent: "clerk", input: "Go" });
  other.exec("begin immediate");
  const openError = await errorOf(() => sqliteRuns(file, { busyTimeoutMs: 20 }));
  const writeError = await errorOf(start);
  const listed = (await runs.list()).length;
  other.exec("rollback");
  await start();
  // The worker cannot claim the run until the lock is released.
  other.exec("begin immediate");
  const working = runs.work();
  await reported.promise;
  other.exec("rollback");
  const { status } = await runs.result("r1");
  await runs.close();
  await working;
  other.close();
  return { openError, writeError, listed, reported: errors[0], status };
}

/** Opens a file that a program locks as older versions did. */
async function openExclusive(): Promise<unknown> {
  const file = `${path}/runs.db`;
  await sqliteRuns(file)[Symbol.asyncDispose]();
  const other = new DatabaseSync(file);
  other.exec("pragma locking_mode = exclusive; begin exclusive; commit");
  const error = await errorOf(() => sqliteRuns(file, { busyTimeoutMs: 20 }));
  other.close();
  return { error, again: await errorOf(() => sqliteRuns(file)[Symbol.asyncDispose]()) };
}

const clerk = {
  version: "1",
  make: () =>
    new ToolLoopAgent({
      name: "clerk",
      model: {
        modelId: "calls",
        generate: ({ messages }) => {
          const [first] = messages;
          const text = JSON.stringify(first);
          const toolName = ["wait", "block"].find((name) => text.includes(name));
          const isFirst = toolName !== undefined && !messages.some(({ role }) => role === "tool");
          return Promise.resolve({
            message: {
              role: "assistant" as const,
              content: isFirst
                ? [{ type: "tool-call" as const, toolCallId: "c1", toolName, input: {} }]
                : [{ type: "text" as const, text: "Done" }],
            },
            finishReason: isFirst ? "tool-calls" as const : "stop" as const,
          });
        },
      },
      tools: [
        { name: "wait", inputSchema: { type: "object" }, execute: (_, { wait }) => wait("paid") },
        {
          name: "block",
          inputSchema: { type: "object" },
          async execute(_, { signal }) {
            print("blocked");
            await new Promise((resolve) => signal.addEventListener("abort", resolve));
            print("aborted");
          },
        },
      ],
    }),
};

/** Executes runs until the standard input ends. */
async function work(): Promise<void> {
  const engine = sqliteRuns(path);
  const close = engine.journal.close.bind(engine.journal);
  engine.journal.close = async (runId, epoch, end) => {
    const outcome = await close(runId, epoch, end);
    print(`${runId} ${outcome === "closed" ? end.status : outcome}`);
    return outcome;
  };
  const runs = openRuns(engine, { clerk });
  const working = runs.work();
  await runs.start({ runId: "r1", agent: "clerk", input: "wait" });
  await runs.start({ runId: "r2", agent: "clerk", input: "block" });
  for await (const _ of process.stdin);
  await runs.close();
  await working;
}

switch (command) {
  case "migrate":
    print([await migrate(1), await migrate(2), await migrateSignals()]);
    break;
  case "locked":
    print(await useLocked());
    break;
  case "exclusive":
    print(await openExclusive());
    break;
  default:
    await work();
}
