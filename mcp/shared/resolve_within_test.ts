import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { resolveWithin } from "./resolve_within.ts";

Deno.test("resolveWithin() resolves with the value, or with undefined after the time limit", async () => {
  using time = new FakeTime();
  assertEquals(await resolveWithin(Promise.resolve(1), 10), 1);
  await assertRejects(() => resolveWithin(Promise.reject(new Error("no")), 10), Error, "no");
  const late = resolveWithin(new Promise(() => {}), 10);
  await time.tickAsync(10);
  assertEquals(await late, undefined);
});

Deno.test("resolveWithin() accepts Infinity", async () => {
  using time = new FakeTime();
  const slow = Promise.withResolvers<string>();
  const result = resolveWithin(slow.promise, Infinity);
  await time.tickAsync(100_000);
  slow.resolve("late");
  assertEquals(await result, "late");
});
