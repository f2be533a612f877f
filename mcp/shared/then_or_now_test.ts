import { assertEquals, assertInstanceOf, assertRejects, assertThrows } from "@std/assert";
import { thenOrNow } from "./then_or_now.ts";

Deno.test("thenOrNow() calls its callback immediately for a value, and after settlement for a promise", async () => {
  assertEquals(thenOrNow(1, (value) => value + 1), 2);
  const later = thenOrNow(Promise.resolve(1), (value) => value + 1);
  assertInstanceOf(later, Promise);
  assertEquals(await later, 2);
});

Deno.test("thenOrNow() waits for any thenable", async () => {
  const foreign: PromiseLike<number> = { then: (...args) => Promise.resolve(1).then(...args) };
  assertEquals(await thenOrNow(foreign, (value) => value + 1), 2);
});

Deno.test("thenOrNow() propagates errors", async () => {
  const fail = (): never => {
    throw new Error("no");
  };
  assertThrows(() => thenOrNow(1, fail), Error, "no");
  await assertRejects(async () => await thenOrNow(Promise.resolve(1), fail), Error, "no");
  await assertRejects(
    async () => await thenOrNow(Promise.reject(new Error("late")), () => 1),
    Error,
  );
});
