import { assert } from "@std/assert";
import { runLogChecks } from "../log/checks/run_log_checks.ts";
import { sqliteRuns } from "../sqlite.ts";
import type { RunEngine } from "./contracts.ts";
import { runJournalChecks } from "./checks/journal.ts";
import { memoryRuns } from "./memory.ts";
import { runQueueChecks } from "./checks/queue.ts";
import { combineEngines, startEngine } from "./testdata/remote_engine.ts";
import { withFolder } from "./testdata/temporary_folder.ts";

const ENGINES: Readonly<Record<string, () => RunEngine>> = {
  memoryRuns: () => memoryRuns({ retryDelayMs: 1 }),
  sqliteRuns: () => sqliteRuns(":memory:", { retryDelayMs: 1 }),
};

const CHECKS = [...runJournalChecks, ...runQueueChecks];

for (const [engine, open] of Object.entries(ENGINES)) {
  for (const check of CHECKS) {
    Deno.test(`${engine}: ${check.name}`, () => check.run(open, { timeoutMs: 10_000 }));
  }
}

for (const [engine, open] of Object.entries(ENGINES)) {
  for (const check of runLogChecks) {
    Deno.test(`the log of ${engine}: ${check.name}`, () =>
      check.run(() => {
        const { log, ...rest } = open();
        assert(log);
        return { ...rest, log };
      }));
  }
}

/** Engines on a file, in other processes, because tests have no permission to write files. */
const FILES: Readonly<Record<string, (file: string) => RunEngine>> = {
  "one process": (file) => startEngine(file),
  "two processes": (file) => combineEngines(startEngine(file), startEngine(file)),
};

for (const [processes, open] of Object.entries(FILES)) {
  Deno.test(`sqliteRuns with a file passes every check in ${processes}`, async (t) => {
    await withFolder(async (folder) => {
      await using engine = open(`${folder}/runs.db`);
      const shared = { ...engine, [Symbol.asyncDispose]: () => Promise.resolve() };
      for (const check of CHECKS) {
        await t.step(check.name, () => check.run(() => shared, { timeoutMs: 10_000 }));
      }
    });
  });
}
