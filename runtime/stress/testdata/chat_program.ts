/**
 * A process with a chat server whose sessions, journal and executions are stored in a folder, for
 * tests that send the same approval to one or two processes. The commands are:
 *
 * - `memory FOLDER`: the sessions and the journal are in memory.
 * - `jsonl FOLDER`: the journal is the file `journal.jsonl`.
 * - `sqlite FOLDER`: the journal is a table in the database `journal.db`.
 * - `remove FOLDER`: removes the folder.
 *
 * Each execution of the tool appends one line, the id of the thread, to the file `executed`.
 *
 * @module
 */

import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { fileStore } from "../../file.ts";
import {
  type Journal,
  JsonlJournal,
  MemoryJournal,
  readJournalEntry,
  recordSteps,
} from "../../journal.ts";
import { jsonlSessions, memorySessions } from "../../session.ts";
import { serveChat, serveUntilInputEnds } from "./chat_server.ts";

const [command = "", folder = ""] = process.argv.slice(2);

/** A journal of an application: a table whose primary key is the key of the step. */
function sqliteJournal(path: string): Journal {
  const database = new DatabaseSync(path);
  database.exec("pragma busy_timeout = 10000; pragma journal_mode = wal");
  database.exec("create table if not exists step (key text primary key, entry text not null)");
  const find = database.prepare("select entry from step where key = ?");
  const insert = database.prepare("insert into step values (?, ?)");
  return {
    get(key) {
      const row = find.get(key);
      const entry = row && readJournalEntry(JSON.parse(String(row.entry)));
      if (typeof entry === "string") throw new Error(entry);
      return entry;
    },
    // deno-lint-ignore require-await -- a failed insertion becomes a rejection
    async append(entry) {
      insert.run(entry.key, JSON.stringify(entry));
    },
  };
}

async function openJournal(): Promise<Journal> {
  if (command === "memory") return new MemoryJournal();
  if (command === "sqlite") return sqliteJournal(`${folder}/journal.db`);
  return await JsonlJournal.open(fileStore(`${folder}/journal.jsonl`));
}

async function serve(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const journal = await openJournal();
  const stepRunner = recordSteps(journal);
  const server = serveChat({
    store: command === "memory"
      ? memorySessions()
      : jsonlSessions((id) => fileStore(`${folder}/${encodeURIComponent(id)}.jsonl`)),
    open: () => stepRunner,
    // The flag `a` opens the file with `O_APPEND`, so no process overwrites the line of another.
    execute: (threadId) => appendFileSync(`${folder}/executed`, `${threadId}\n`, { flag: "a" }),
  });
  await serveUntilInputEnds(server);
}

if (command === "remove") rmSync(folder, { recursive: true, force: true });
else await serve();
