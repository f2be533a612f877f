import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { EventLoopYielder } from "./event_loop_yielder.ts";

Deno.test("yieldIfDue() returns one promise to all callers if operations take 10 ms", async () => {
  using time = new FakeTime();
  const yielder = new EventLoopYielder();
  const yields = (count: number) => Array.from({ length: count }, () => yielder.yieldIfDue());
  assertEquals(yields(100), Array(100).fill(undefined));
  time.now += 10;
  const [first, second] = yields(2);
  assertEquals([first instanceof Promise, first === second], [true, true]);
  await time.tickAsync(1);
  await first;
  assertEquals(yielder.yieldIfDue(), undefined);
});

Deno.test("yieldIfDue() does not delay occasional operations", () => {
  using time = new FakeTime();
  const yielder = new EventLoopYielder();
  for (let count = 0; count < 4; count++) {
    time.now += 1000;
    assertEquals(yielder.yieldIfDue(), undefined);
  }
});
