import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { ReplayGuard } from "./replay_guard.ts";

const ANN = "did:a:1";
const BOB = "did:a:2";

Deno.test("ReplayGuard admits a pair of sender and id once", async () => {
  const guard = new ReplayGuard();
  const untilMs = Date.now() + 1000;
  assertEquals(await guard.begin(ANN, "x", untilMs), true);
  assertEquals(await guard.begin(ANN, "X", untilMs), true);
  assertEquals(await guard.begin(BOB, "x", untilMs), true);
  assertEquals(await guard.begin(ANN, "x", untilMs), "reserved");
  await guard.commit(ANN, "x");
  assertEquals(await guard.begin(ANN, "x", untilMs), false);
  assertEquals(guard.size, 3);
});

Deno.test("ReplayGuard admits one of many concurrent calls for the same message", async () => {
  const guard = new ReplayGuard();
  for (const id of ["x", "x".repeat(1000)]) {
    const calls = Array.from({ length: 20 }, () => guard.begin(ANN, id, Date.now() + 1000));
    const results = await Promise.all(calls);
    assertEquals(results.filter((result) => result === true).length, 1);
  }
});

Deno.test("ReplayGuard tracks an entry until untilMs, and at most a sixteenth of ttlMs longer", async () => {
  let now = 0;
  const guard = new ReplayGuard({ ttlMs: 1600, now: () => now });
  assertEquals(await guard.begin(ANN, "x", 250), true);
  now = 250;
  assertEquals(await guard.begin(ANN, "x", 900), "reserved");
  now = 350;
  assertEquals(await guard.begin(ANN, "x", 900), true);
  assertEquals(guard.size, 1);
});

Deno.test("ReplayGuard tracks an entry for ttlMs if untilMs is later or in the past", async () => {
  for (const untilMs of [Infinity, NaN, -1, 5000]) {
    let now = 0;
    const guard = new ReplayGuard({ ttlMs: 1600, now: () => now });
    await guard.begin(ANN, "x", untilMs);
    now = 1600;
    assertEquals(await guard.begin(ANN, "x", untilMs), "reserved", `${untilMs}`);
    now = 1701;
    assertEquals(await guard.begin(ANN, "x", untilMs), true, `${untilMs}`);
  }
});

Deno.test("a full ReplayGuard rejects new messages and evicts no entry", async () => {
  const guard = new ReplayGuard({ maxEntries: 2, maxSharePerSender: 1 });
  const untilMs = Date.now() + 1000;
  await guard.begin(ANN, "1", untilMs);
  await guard.begin(BOB, "1", untilMs);
  assertEquals(await guard.begin(BOB, "2", untilMs), "full");
  assertEquals(await guard.begin(ANN, "1", untilMs), "reserved");
  await guard.abort(BOB, "1");
  assertEquals(await guard.begin(BOB, "2", untilMs), true);
});

Deno.test("ReplayGuard limits each sender to a tenth of its entries by default", async () => {
  const guard = new ReplayGuard({ maxEntries: 20 });
  const untilMs = Date.now() + 1000;
  assertEquals(await guard.begin(ANN, "1", untilMs), true);
  assertEquals(await guard.begin(ANN, "2", untilMs), true);
  assertEquals(await guard.begin(ANN, "3", untilMs), "full");
  assertEquals(await guard.begin(BOB, "1", untilMs), true);
  await guard.abort(ANN, "1");
  assertEquals(await guard.begin(ANN, "3", untilMs), true);
});

Deno.test("ReplayGuard limits the characters of its keys, in total and per sender", async () => {
  const untilMs = Date.now() + 1000;
  const total = new ReplayGuard({ maxChars: 300, maxSharePerSender: 1 });
  assertEquals(await total.begin(ANN, "a".repeat(200), untilMs), true);
  assertEquals(await total.begin(BOB, "b".repeat(100), untilMs), "full");
  assertEquals(await total.begin(BOB, "b".repeat(50), untilMs), true);
  const shared = new ReplayGuard({ maxChars: 300, maxSharePerSender: 0.5 });
  assertEquals(await shared.begin(ANN, "a".repeat(100), untilMs), true);
  assertEquals(await shared.begin(ANN, "b".repeat(100), untilMs), "full");
  assertEquals(await shared.begin(BOB, "b".repeat(100), untilMs), true);
});

Deno.test("ReplayGuard stores a key of more than 256 characters as a digest of 43 characters", async () => {
  const guard = new ReplayGuard({ maxChars: 90, maxSharePerSender: 1 });
  const untilMs = Date.now() + 1000;
  const long = "x".repeat(100_000);
  assertEquals(await guard.begin(ANN, long, untilMs), true);
  assertEquals(await guard.begin(ANN, long, untilMs), "reserved");
  assertEquals(await guard.begin(ANN, `${long}y`, untilMs), true);
  assertEquals(await guard.begin(ANN, `${long}z`, untilMs), "full");
  await guard.abort(ANN, long);
  assertEquals(await guard.begin(ANN, `${long}z`, untilMs), true);
});

Deno.test("ReplayGuard.abort() releases a reserved entry but not a committed one", async () => {
  const guard = new ReplayGuard();
  const untilMs = Date.now() + 1000;
  await guard.begin(ANN, "1", untilMs);
  await guard.abort(ANN, "1");
  assertEquals([guard.size, await guard.begin(ANN, "1", untilMs)], [0, true]);
  await guard.commit(ANN, "1");
  await guard.abort(ANN, "1");
  assertEquals(await guard.begin(ANN, "1", untilMs), false);
  await guard.commit(ANN, "unknown");
  await guard.abort(ANN, "unknown");
  assertEquals(guard.size, 1);
});

Deno.test("ReplayGuard never exceeds its limits and never admits a tracked message", async () => {
  const step = fc.record({
    sender: fc.nat(2),
    id: fc.nat(8),
    pass: fc.nat(30),
    action: fc.constantFrom("begin", "begin", "begin", "abort", "commit"),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(step),
      fc.integer({ min: 1, max: 8 }),
      async (steps, maxEntries) => {
        let now = 0;
        const ttlMs = 160;
        const options = { ttlMs, maxEntries, maxSharePerSender: 0.5, now: () => now };
        const guard = new ReplayGuard(options);
        const model = new Map<string, { sender: string; untilMs: number; isCommitted: boolean }>();
        for (const { sender, id, pass, action } of steps) {
          now += pass;
          // The guard removes all entries that expire in the same interval (`ttlMs / 16`) together.
          for (const [key, entry] of model) {
            if (Math.floor(entry.untilMs / 10) < Math.floor(now / 10)) model.delete(key);
          }
          const did = `did:a:${sender}`;
          const key = `${did} ${id}`;
          const entry = model.get(key);
          if (action === "commit") {
            if (entry !== undefined) entry.isCommitted = true;
            await guard.commit(did, String(id));
          } else if (action === "abort") {
            if (entry?.isCommitted === false) model.delete(key);
            await guard.abort(did, String(id));
          } else {
            const own = [...model.values()].filter((each) => each.sender === did).length;
            const hasCapacity = model.size < maxEntries &&
              (own === 0 || own + 1 <= maxEntries * 0.5);
            const expected = entry !== undefined
              ? entry.isCommitted ? false : "reserved" as const
              : hasCapacity || "full" as const;
            assertEquals(await guard.begin(did, String(id), now + ttlMs), expected);
            if (expected === true) {
              model.set(key, { sender: did, untilMs: now + ttlMs, isCommitted: false });
            }
          }
          assert(guard.size >= model.size && guard.size <= maxEntries);
        }
      },
    ),
    propertyRuns(200),
  );
});

Deno.test("ReplayGuard rejects invalid limits", () => {
  for (const ttlMs of [0, NaN, Infinity]) {
    assertThrows(() => new ReplayGuard({ ttlMs }), RangeError, '"ttlMs"');
  }
  for (const limit of [0, 1.5, Infinity]) {
    assertThrows(() => new ReplayGuard({ maxEntries: limit }), RangeError, '"maxEntries"');
    assertThrows(() => new ReplayGuard({ maxChars: limit }), RangeError, '"maxChars"');
  }
  for (const maxSharePerSender of [0, 1.1, NaN]) {
    const create = () => new ReplayGuard({ maxSharePerSender });
    assertThrows(create, RangeError, '"maxSharePerSender"');
  }
});

Deno.test("ReplayGuard frees its entries on time after its clock was set forward and back", async () => {
  const [ttlMs, maxEntries, forwardMs] = [1600, 20, 1e9];
  let now = 0;
  const guard = new ReplayGuard({ ttlMs, maxEntries, maxSharePerSender: 1, now: () => now });
  now += forwardMs;
  for (let id = 0; id < 10; id++) await guard.begin(ANN, `future ${id}`, now + ttlMs);
  now -= forwardMs;
  for (let id = 0; id < 10; id++) await guard.begin(ANN, `present ${id}`, now + ttlMs);
  assertEquals(await guard.begin(ANN, "future 0", now + ttlMs), "reserved");
  assertEquals(await guard.begin(ANN, "another", now + ttlMs), "full");
  now += ttlMs + 2 * ttlMs / 16;
  assertEquals(await guard.begin(ANN, "another", now + ttlMs), true);
  assertEquals(guard.size, 1);
});

Deno.test("ReplayGuard rejects a message and evicts no entry if its clock is invalid", async () => {
  let now: unknown = 0;
  // The types do not permit some times, but clocks in JavaScript can return them.
  const guard = new ReplayGuard({ now: () => now as number });
  assertEquals(await guard.begin(ANN, "x", 1000), true);
  for (now of [NaN, Infinity, -Infinity, null, undefined, "0"]) {
    await assertRejects(() => guard.begin(ANN, "x", 1000), TypeError, '"now()"');
  }
  now = 0;
  assertEquals(await guard.begin(ANN, "x", 1000), "reserved");
});

Deno.test("ReplayGuard measures untilMs from the time of the caller, whose clock can differ", async () => {
  for (const callerMs of [-1e6, 0, 1e6]) {
    let now = 0;
    const guard = new ReplayGuard({ ttlMs: 1600, now: () => now });
    const clock = { nowMs: callerMs };
    assertEquals(await guard.begin(ANN, "x", callerMs + 800, clock), true);
    now = 800;
    assertEquals(await guard.begin(ANN, "x", callerMs + 800, clock), "reserved");
    now = 901;
    assertEquals(await guard.begin(ANN, "x", callerMs + 800, clock), true);
  }
});
