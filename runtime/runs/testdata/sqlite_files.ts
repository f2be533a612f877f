/**
 * A process that uses SQLite files on behalf of tests, which have no permission to write files.
 * Prints the outcomes of its commands as JSON. The commands are:
 *
 * - `open PATH`: opens and closes the file, and prints the error message or `null`.
 * - `waiting PATH`: stores the run `r1`, which waits for a decision on a tool call whose input
 *   contains a control character.
 * - `cases FOLDER`: damages files, and prints the error messages and the state of the runs.
 * - `tableless FOLDER`: opens a file that has the ids of durable runs but not their tables, and
 *   prints the error and whether another connection can use the file.
 * - `older PATH`: creates a file with tables of version 2.
 * - `create FOLDER`: creates the folder.
 * - `remove FOLDER`: removes the folder.
 *
 * @module
 */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { sqliteRuns } from "../../sqlite.ts";
import type { RunJournal } from "../contracts.ts";
import type { RunRecord } from "../run_record.ts";

const [command = "", path = ""] = process.argv.slice(2);

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Returns the message of the error that a call rejects with, or `null` if the call succeeds. */
async function errorOf(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return null;
  } catch (error) {
    return Object(error).message;
  }
}

async function openAndClose(file: string): Promise<void> {
  await sqliteRuns(file)[Symbol.asyncDispose]();
}

/** Creates a file with a run that has a step and a signal, and a second run. */
async function createFile(file: string): Promise<void> {
  await using engine = sqliteRuns(file);
  const { journal } = engine;
  await journal.create({ runId: "r1", agent: "clerk", version: "1", input: "Hi" });
  await journal.open("r1");
  await journal.append("r1", 1, { v: 1, key: "r1/start", kind: "run", value: { paid: 5 } });
  await journal.signal("r1", "s", "yes");
  await journal.create({ runId: "r2", agent: "clerk", version: "1", input: "Hi" });
}

/** Opens a file in which the run `r1` is damaged, and returns the state of the runs. */
async function openDamaged(file: string): Promise<unknown> {
  await using engine = sqliteRuns(file);
  const { journal } = engine;
  const paged = await readPages(journal);
  const openError = await errorOf(() => journal.open("r1"));
  const failed = await journal.list({ status: "failed" });
  return {
    openError,
    failed: failed.map(({ error, runId }) => [runId, error?.code, error?.message]),
    again: await journal.open("r1") ?? null,
    signal: await journal.signal("r1", "t", 1),
    other: (await journal.open("r2"))?.run.status,
    count: (await journal.list()).length,
    paged: paged.toSorted(),
    purged: await journal.purge(new Date(Date.now() + 60_000)),
  };
}

/** Returns the ids of the runs, read on pages of one run in the order of their changes. */
async function readPages(journal: RunJournal): Promise<readonly string[]> {
  const ids: string[] = [];
  let after: RunRecord | undefined;
  do {
    [after] = await journal.list({ order: "updated", limit: 1, after });
    if (after !== undefined) ids.push(after.runId);
  } while (after !== undefined && ids.length < 10);
  return ids;
}

async function storeWaitingRun(): Promise<void> {
  mkdirSync(dirname(path), { recursive: true });
  await using engine = sqliteRuns(path);
  const { journal } = engine;
  await journal.create({ runId: "r1", agent: "clerk", version: "1", input: "Pay" });
  await journal.open("r1");
  await journal.append("r1", 1, { v: 1, key: "r1/start", kind: "run", value: null });
  const key = "r1/i0/approval/0";
  const wait = { kind: "approval", key, path: ["clerk"], reason: "approval" } as const;
  const waitingFor = [{ ...wait, toolName: "pay", input: "\u001b[2J" }];
  await journal.close("r1", 1, { status: "waiting", waitingFor });
}

/** Changes a file as another program might. */
function change(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

const CHANGES = [
  "update step set entry = replace(entry, '5', '6')",
  "update step set key = 'r1/other'",
  "update step set digest = ''",
  "update signal set entry = '\"no\"'",
  "update run set input = '{' where run_id = 'r1'",
  "update run set metadata = '{' where run_id = 'r1'",
  "update run set metadata = '[]' where run_id = 'r1'",
  "update run set status = 'paused' where run_id = 'r1'",
  "update run set waiting_for = '[1]' where run_id = 'r1'",
  `update run set waiting_for =
    '[{"kind":"signal","key":"a","path":[],"toolName":"t","toolCallId":1}]' where run_id = 'r1'`,
  "update run set updated_at = 'today' where run_id = 'r1'",
  "update run set epoch = -0x7fffffffffffffff where run_id = 'r1'",
];

async function cases(): Promise<unknown> {
  mkdirSync(path, { recursive: true });
  const file = `${path}/runs.db`;
  const damaged: unknown[] = [];
  for (const sql of CHANGES) {
    rmSync(file, { force: true });
    await createFile(file);
    change(file, sql);
    damaged.push(await openDamaged(file));
  }
  const newer = `${path}/newer.db`;
  await createFile(newer);
  change(newer, "pragma user_version = 5");
  const other = `${path}/other.db`;
  change(other, "create table t (a)");
  const bytes = readFileSync(other);
  const text = `${path}/text.db`;
  writeFileSync(text, "not a database".repeat(1000));
  const refused = await Promise.all(
    [newer, other, text, `${path}/missing/runs.db`].map((one) => errorOf(() => openAndClose(one))),
  );
  return {
    damaged,
    isOtherUnchanged: bytes.equals(readFileSync(other)),
    refused: refused.map((message) => String(message).replaceAll(path, "")),
  };
}

async function openTableless(): Promise<unknown> {
  mkdirSync(path, { recursive: true });
  const file = `${path}/tableless.db`;
  await createFile(file);
  change(file, "drop table run");
  let error: unknown;
  try {
    sqliteRuns(file);
  } catch (cause) {
    const { code, message } = Object(cause);
    error = [code, String(message).replaceAll(path, "")];
  }
  return { error, isFree: await errorOf(() => change(file, "drop table step")) === null };
}

switch (command) {
  case "open":
    print(await errorOf(() => openAndClose(path)));
    break;
  case "waiting":
    await storeWaitingRun();
    break;
  case "cases":
    print(await cases());
    break;
  case "older":
    change(path, readFileSync(new URL("runs_v2.sql", import.meta.url), "utf8"));
    break;
  case "create":
    mkdirSync(path, { recursive: true });
    break;
  case "tableless":
    print(await openTableless());
    break;
  default:
    rmSync(path, { recursive: true, force: true });
}
