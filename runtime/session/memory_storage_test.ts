/**
 * Tests for the storage for sessions in memory.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import { AgentError } from "../shared/error.ts";
import { sessionStorageChecks } from "./checks/storage_checks.ts";
import { memoryStorage } from "./memory_storage.ts";

for (const check of sessionStorageChecks) {
  Deno.test(`memoryStorage: ${check.name}`, () => check.run(() => memoryStorage()));
}

Deno.test("memoryStorage removes the least recently used session that is idle", async () => {
  const { log, records } = memoryStorage({ maxSessions: 2 });
  const claim = {
    runId: "r",
    isNew: true,
    turn: null,
    turnId: undefined,
    metadata: {},
    keepRuns: 10,
    leaseMs: 1000,
  };
  await log.claim("busy", { ...claim, seenEpoch: 0 });
  await records.append("old", 1, 0);
  await records.append("new", 1, 0);
  assertEquals(await Promise.all(["old", "new"].map((id) => records.count(id))), [0, 1]);
  await log.claim("new", { ...claim, seenEpoch: 0 });
  await assertRejects(
    () => records.append("third", 1, 0),
    AgentError,
    "all 2 sessions have a run in progress",
  );
});
