import { queueChecks } from "./queue_checks.ts";
import { sqliteQueue } from "./sqlite_queue.ts";

for (const check of queueChecks) {
  Deno.test(`sqliteQueue() in memory ${check.name}`, () =>
    check.run((options) => sqliteQueue(":memory:", options), { timeoutMs: 10_000 }));
}
