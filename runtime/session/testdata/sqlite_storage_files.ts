/**
 * A process that uses SQLite files with sessions on behalf of tests, which have no permission to
 * write files. Prints what it has observed as JSON.
 *
 *     sqlite_storage_files.ts FOLDER
 *
 * @module
 */

import { mkdirSync, rmSync } from "node:fs";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import type { SessionStorage } from "../storage.ts";
import { sessionStorageChecks } from "../checks/storage_checks.ts";
import { sqliteStorage } from "../open_sqlite_storage.ts";

const [folder = ""] = process.argv.slice(2);

const CLAIM = {
  runId: "r",
  isNew: true,
  turn: "Hi",
  turnId: undefined,
  leaseMs: 60_000,
  seenEpoch: 0,
  metadata: {},
  keepRuns: 10,
};

/** Returns the message of the error that a call rejects with, or `null` if the call succeeds. */
async function errorOf(call: () => unknown): Promise<string | null> {
  try {
    await call();
    return null;
  } catch (error) {
    return String(Object(error).message).replaceAll(folder, "");
  }
}

/** Returns the errors of the checks for storages, keyed by the name of the check. */
async function failedChecks(): Promise<Record<string, string>> {
  const failed: Record<string, string> = {};
  for (const check of sessionStorageChecks) {
    const error = await errorOf(() => check.run(() => sqliteStorage(`${folder}/checks.db`)));
    if (error !== null) failed[check.name] = error;
  }
  return failed;
}

/** Waits in one connection for a change by another, and returns what was then read. */
async function observeChange(): Promise<unknown> {
  const path = `${folder}/change.db`;
  await using reader = sqliteStorage(path, { pollIntervalMs: 1 });
  await using writer = sqliteStorage(path);
  const head = await writer.log.claim("chat", CLAIM);
  if (head === undefined) return "not claimed";
  const wait = reader.log.changed(head, new AbortController().signal);
  await writer.log.append("chat", 1, ["a"]);
  await wait;
  return await reader.log.read("chat", 1, { from: 0, limit: 9 });
}

async function openRefused(): Promise<unknown> {
  const path = `${folder}/other.db`;
  await sqliteStorage(path)[Symbol.asyncDispose]();
  using database = new DatabaseSync(path);
  database.exec("pragma user_version = 7");
  const newer = await errorOf(() => sqliteStorage(path));
  database.exec("pragma application_id = 5");
  const other = await errorOf(() => sqliteStorage(path));
  const missing = await errorOf(() => sqliteStorage(`${folder}/missing/chats.db`));
  return { newer, other, missing };
}

async function fill({ log, records, steps }: SessionStorage, key: string): Promise<void> {
  await records.append(key, { v: 1 }, 0);
  await log.claim(key, CLAIM);
  await log.append(key, 1, ["entry"]);
  await steps?.put(key, 1, { v: 1, key: "s", kind: "tool", value: null });
}

async function readDamaged(): Promise<unknown> {
  const path = `${folder}/damaged.db`;
  await using storage = sqliteStorage(path);
  await fill(storage, "a");
  await fill(storage, "b");
  using database = new DatabaseSync(path);
  database.exec(`
    update session_record set record = '{' where session_id = 'a';
    update run_entry set entry = '{' where key = 'a';
    update session_step set entry = '{}' where key = 'a';
    update run_head set turn = '{' where key = 'a'`);
  const { log, records, steps } = storage;
  return {
    record: await errorOf(() => records.load("a")),
    entry: await errorOf(() => log.read("a", 1, { from: 0, limit: 9 })),
    step: await errorOf(() => steps?.load("a")),
    head: await errorOf(() => log.head("a")),
    other: [await records.load("b"), (await log.head("b"))?.turn],
  };
}

async function writeLocked(): Promise<unknown> {
  const path = `${folder}/locked.db`;
  await using storage = sqliteStorage(path, { busyTimeoutMs: 1 });
  using database = new DatabaseSync(path);
  database.exec("begin immediate");
  const locked = await errorOf(() => storage.records.append("a", 1, 0));
  database.exec("rollback");
  return { locked, after: await storage.records.append("a", 1, 0) };
}

/** Fills a file up to its maximum size. */
async function fillUp(): Promise<unknown> {
  await using storage = sqliteStorage(`${folder}/full.db`, { maxBytes: 131_072 });
  const { records } = storage;
  const full = await errorOf(async () => {
    for (let n = 0; n < 100; n++) await records.append("a", "x".repeat(10_000), n);
  });
  const count = await records.count("a");
  return { full, isKept: count > 0 && (await records.load("a")).length === count };
}

mkdirSync(folder, { recursive: true });
const observed = {
  failedChecks: await failedChecks(),
  change: await observeChange(),
  refused: await openRefused(),
  damaged: await readDamaged(),
  locked: await writeLocked(),
  full: await fillUp(),
};
rmSync(folder, { recursive: true, force: true });
process.stdout.write(`${JSON.stringify(observed)}\n`);
