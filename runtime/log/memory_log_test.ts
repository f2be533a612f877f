import { assert, assertEquals, assertRejects } from "@std/assert";
import { AgentError } from "../shared/error.ts";
import { MemoryRunLog } from "./memory_log.ts";
import type { RunClaim, RunFinish } from "./run_log.ts";

/** An entry of ten characters of JSON. */
const ENTRY = "12345678";

function claimOf(epoch: number, isNew = true): RunClaim {
  const content = { turn: null, turnId: undefined, metadata: {}, keepRuns: 0 };
  return { runId: `r${epoch}`, isNew, ...content, leaseMs: 0, seenEpoch: 0, epoch };
}

function finishOf(keepMs: number): RunFinish {
  return { phase: "ended", entries: [ENTRY], keepMs, result: null };
}

async function assertFull(log: MemoryRunLog, key: string, epoch: number): Promise<void> {
  const error = await assertRejects(() => log.append(key, epoch, [ENTRY]), AgentError);
  assert(error.is("capacity_exceeded"));
}

Deno.test("a full log rejects entries until a run starts, is deleted or cannot be read", async () => {
  let now = 0;
  const log = new MemoryRunLog({ now: () => now, maxChars: 40 });
  await log.claim("a", claimOf(1));
  await log.claim("b", claimOf(1));
  assertEquals(await log.append("a", 1, [ENTRY, ENTRY]), "held");
  assertEquals(await log.append("b", 1, [ENTRY, ENTRY]), "held");
  await assertFull(log, "b", 1);
  assertEquals((await log.head("b"))?.count, 2);

  // A new run of a key replaces the entries of the earlier one, and a takeover keeps them.
  await log.claim("a", claimOf(2));
  assertEquals(await log.append("a", 2, [ENTRY, ENTRY]), "held");
  await log.claim("a", claimOf(3, false));
  await assertFull(log, "a", 3);

  // The end of a run is stored beyond the limit.
  assertEquals(await log.finish("a", 3, finishOf(100)), true);
  await assertFull(log, "b", 1);
  now = 100;
  assertEquals(await log.append("b", 1, [ENTRY, ENTRY]), "held");
  assertEquals(await log.read("a", 3, { from: 0, limit: 9 }), []);
  await assertFull(log, "b", 1);
  await log.delete("b", 1);
  await log.claim("c", claimOf(1));
  assertEquals(await log.append("c", 1, [ENTRY, ENTRY, ENTRY, ENTRY]), "held");
  await assertFull(log, "c", 1);
});
