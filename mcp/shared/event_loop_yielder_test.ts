import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { EventLoopYielder } from "./event_loop_yielder.ts";

/** A clock that advances while no timer fires, as it does while the event loop is blocked. */
class BlockedClock implements Disposable {
  readonly #now = Date.now;
  #ms = 1_000_000;

  constructor() {
    Date.now = () => this.#ms;
  }

  advance(ms: number): void {
    this.#ms += ms;
  }

  [Symbol.dispose](): void {
    Date.now = this.#now;
  }
}

function yields(yielder: EventLoopYielder, count: number): (Promise<void> | undefined)[] {
  return Array.from({ length: count }, () => yielder.yieldIfDue());
}

Deno.test("yieldIfDue() returns one promise to all callers if operations block timers for 10 ms", async () => {
  using clock = new BlockedClock();
  const yielder = new EventLoopYielder();
  for (let ms = 0; ms < 10; ms += 5) {
    assertEquals(yields(yielder, 100), Array(100).fill(undefined));
    clock.advance(5);
    // The operation that finds the limit exceeded starts a timer.
    if (ms === 0) assertEquals(yielder.yieldIfDue(), undefined);
  }
  const [first, second] = yields(yielder, 2);
  assertEquals([first instanceof Promise, first === second], [true, true]);
  await first;
  assertEquals(yields(yielder, 100), Array(100).fill(undefined));
});

Deno.test("yieldIfDue() does not delay operations while timers fire", async () => {
  using time = new FakeTime();
  const yielder = new EventLoopYielder();
  for (let count = 0; count < 1000; count++) {
    await time.tickAsync(1);
    assertEquals(yielder.yieldIfDue(), undefined);
  }
});

Deno.test("yieldIfDue() yields after the clock was set back", async () => {
  using clock = new BlockedClock();
  const yielder = new EventLoopYielder();
  clock.advance(-500_000);
  assertEquals(yields(yielder, 5), Array(5).fill(undefined));
  clock.advance(-1);
  const [pause] = yields(yielder, 1);
  assertEquals(pause instanceof Promise, true);
  await pause;
});

Deno.test("stop() leaves no timer after the last operation", () => {
  using clock = new BlockedClock();
  const yielder = new EventLoopYielder();
  clock.advance(5);
  assertEquals(yields(yielder, 100), Array(100).fill(undefined));
  yielder.stop();
});

Deno.test("yieldIfDue() does not delay occasional operations", () => {
  using time = new FakeTime();
  const yielder = new EventLoopYielder();
  for (let count = 0; count < 4; count++) {
    time.now += 1000;
    assertEquals(yielder.yieldIfDue(), undefined);
  }
});
