import { assertEquals, assertRejects } from "@std/assert";
import { ReplayGuard } from "./replay_guard.ts";
import type { ReplayBeginResult, ReplayStore } from "./replay_store.ts";
import { replayStoreChecks, type ReplayStoreLimits } from "./replay_store_checks.ts";

/** Ways in which a broken store differs from a correct one. */
interface Fault {
  readonly keyOf?: (sender: string, id: string) => string;
  readonly reserved?: ReplayBeginResult;
  readonly committed?: ReplayBeginResult;
  readonly isAtomic?: boolean;
  readonly abort?: "nothing" | "everything" | "all senders";
  readonly ignoresCommit?: boolean;
  readonly usesOwnClock?: boolean;
  readonly hasNoShare?: boolean;
}

/** Creates an in-memory store that violates a rule. */
function createStore(fault: Fault, limits?: ReplayStoreLimits): ReplayStore {
  const { keyOf = (sender, id) => `${sender} ${id}`, isAtomic = true } = fault;
  const { reserved = "reserved", committed = false } = fault;
  const entries = new Map<string, boolean>();
  const ends = new Map<string, number>();
  const { maxEntries = Infinity, maxSharePerSender = 1 } = limits ?? {};
  const isFull = (sender: string): boolean => {
    const own = [...entries.keys()].filter((key) => key.startsWith(sender));
    return fault.hasNoShare !== true && own.length >= maxEntries * maxSharePerSender;
  };
  return {
    ttlMs: 600_000,
    async begin(sender, id, untilMs, { nowMs = Date.now() } = {}) {
      const key = keyOf(sender, id);
      const leftMs = fault.usesOwnClock === true ? untilMs - Date.now() : untilMs - nowMs;
      if ((ends.get(key) ?? Infinity) <= Date.now()) entries.delete(key);
      const isCommitted = entries.get(key);
      if (!isAtomic) await Promise.resolve();
      if (isCommitted !== undefined) return isCommitted ? committed : reserved;
      if (isFull(sender)) return "full";
      entries.set(key, false);
      ends.set(key, Date.now() + leftMs);
      return true;
    },
    commit(sender, id) {
      if (fault.ignoresCommit !== true) entries.set(keyOf(sender, id), true);
    },
    abort(sender, id) {
      if (fault.abort === "nothing") return;
      if (fault.abort === "all senders") entries.clear();
      const key = keyOf(sender, id);
      if (fault.abort === "everything" || entries.get(key) === false) entries.delete(key);
    },
  };
}

type Open = (limits?: ReplayStoreLimits) => ReplayStore;

async function failures(open: Open): Promise<string[]> {
  const failed: string[] = [];
  for (const check of replayStoreChecks) {
    await check.run(open).catch(() => failed.push(check.name));
  }
  return failed;
}

for (const check of replayStoreChecks) {
  Deno.test(`replayStoreChecks: a correct store passes "${check.name}"`, async () => {
    const store = createStore({});
    await check.run((limits) => limits === undefined ? store : createStore({}, limits));
  });
}

Deno.test("ReplayGuard passes the checks that need no shared store", async () => {
  const guard = new ReplayGuard({ maxSharePerSender: 1 });
  for (const check of replayStoreChecks) {
    if (check.needsSharedStore) continue;
    await check.run((limits) => limits === undefined ? guard : new ReplayGuard(limits));
  }
  const shared = replayStoreChecks.filter(({ needsSharedStore }) => needsSharedStore);
  for (const check of shared) await assertRejects(() => check.run(() => new ReplayGuard()));
  assertEquals(shared.length, 1);
});

const FAULTS: ReadonlyArray<readonly [string, Fault]> = [
  ["returns false for a reserved message", { reserved: false }],
  ["returns true for a reserved message", { reserved: true }],
  ['returns "reserved" for a committed message', { committed: "reserved" }],
  ["checks and reserves in two steps", { isAtomic: false }],
  ["ignores the sender", { keyOf: (_sender, id) => id }],
  ["ignores the case of ids", { keyOf: (sender, id) => `${sender} ${id.toLowerCase()}` }],
  ["trims ids", { keyOf: (sender, id) => `${sender} ${id.trim()}` }],
  ["normalizes ids", { keyOf: (sender, id) => `${sender} ${id.normalize()}` }],
  ["truncates ids", { keyOf: (sender, id) => `${sender} ${id.slice(0, 255)}` }],
  ["ends ids at a null character", { keyOf: (s, id) => `${s} ${id.replace(/\0.*/s, "")}` }],
  ["ignores commit()", { ignoresCommit: true }],
  ["ignores abort()", { abort: "nothing" }],
  ["removes a committed message in abort()", { abort: "everything" }],
  ["removes the messages of all senders in abort()", { abort: "all senders" }],
  ["compares untilMs with its own clock", { usesOwnClock: true }],
  ["has no share per sender", { hasNoShare: true }],
];

for (const [name, fault] of FAULTS) {
  Deno.test(`replayStoreChecks: a store that ${name} fails a check`, async () => {
    const store = createStore(fault);
    const open: Open = (limits) => limits === undefined ? store : createStore(fault, limits);
    assertEquals((await failures(open)).length > 0, true);
  });
}
