import { assert, assertEquals, assertFalse, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { ReplayGuard } from "./replay_guard.ts";

Deno.test("ReplayGuard accepts a pair of sender and id once", () => {
  const guard = new ReplayGuard();
  assert(guard.accept("did:a:1", "x"));
  assert(guard.accept("did:a:1", "X"));
  assert(guard.accept("did:a:2", "x"));
  assertFalse(guard.accept("did:a:1", "x"));
});

Deno.test("ReplayGuard evicts an entry after ttlMs", () => {
  let now = 0;
  const guard = new ReplayGuard({ ttlMs: 100, now: () => now });
  guard.accept("did:a:1", "x");
  now = 100;
  assertFalse(guard.accept("did:a:1", "x"));
  now = 101;
  assert(guard.accept("did:a:1", "x"));
  assertEquals(guard.size, 1);
});

Deno.test("ReplayGuard evicts the oldest entry when full, but not when it rejects a replay", () => {
  const guard = new ReplayGuard({ maxEntries: 2 });
  guard.accept("did:a:1", "1");
  guard.accept("did:a:1", "2");
  assertFalse(guard.accept("did:a:1", "1"));
  guard.accept("did:a:1", "3");
  assertEquals(guard.size, 2);
  assertFalse(guard.accept("did:a:1", "2"));
  assert(guard.accept("did:a:1", "1"));
});

Deno.test("ReplayGuard never exceeds its limit and never accepts a tracked message", () => {
  const step = fc.record({ id: fc.nat(20), pass: fc.nat(30) });
  fc.assert(
    fc.property(fc.array(step), fc.integer({ min: 1, max: 8 }), (steps, maxEntries) => {
      let now = 0;
      const guard = new ReplayGuard({ ttlMs: 100, maxEntries, now: () => now });
      let model: { id: number; untilMs: number }[] = [];
      for (const { id, pass } of steps) {
        now += pass;
        model = model.filter(({ untilMs }) => untilMs >= now);
        const isNew = !model.some((entry) => entry.id === id);
        assertEquals(guard.accept("did:a:1", String(id)), isNew);
        if (isNew) model = [...model, { id, untilMs: now + 100 }].slice(-maxEntries);
        assertEquals(guard.size, model.length);
      }
    }),
    propertyRuns(200),
  );
});

Deno.test("ReplayGuard rejects invalid limits", () => {
  assertThrows(() => new ReplayGuard({ ttlMs: 0 }), RangeError);
  assertThrows(() => new ReplayGuard({ maxEntries: 0 }), RangeError);
});
