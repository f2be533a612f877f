import { sqliteRuns } from "../sqlite.ts";
import type { RunEngine } from "./contracts.ts";
import { runJournalChecks } from "./checks/journal.ts";
import { memoryRuns } from "./memory.ts";
import { runQueueChecks } from "./checks/queue.ts";

const ENGINES: Readonly<Record<string, () => RunEngine>> = {
  memoryRuns: () => memoryRuns({ retryDelayMs: 1 }),
  sqliteRuns: () => sqliteRuns(":memory:", { retryDelayMs: 1 }),
};

for (const [engine, open] of Object.entries(ENGINES)) {
  for (const check of [...runJournalChecks, ...runQueueChecks]) {
    Deno.test(`${engine}: ${check.name}`, () => check.run(open, { timeoutMs: 10_000 }));
  }
}
