import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime, TimeError } from "@std/testing/time";

Deno.test("FakeTime advances only through its methods", () => {
  using time = new FakeTime(1000);
  assertEquals([Date.now(), new Date().valueOf(), time.start], [1000, 1000, 1000]);
  time.tick(25);
  assertEquals([Date.now(), time.now, new Date(5).valueOf()], [1025, 1025, 5]);
  assertEquals(new Date() instanceof Date, true);
});

Deno.test("FakeTime runs timers when they are due, in order", () => {
  using time = new FakeTime(0);
  const seen: [string, number][] = [];
  const note = (name: string) => seen.push([name, Date.now()]);
  setTimeout(note, 20, "late");
  setTimeout(note, 10, "first");
  setTimeout(note, 10, "second");
  const id = setInterval(note, 8, "every");
  clearTimeout(setTimeout(note, 1, "cleared"));
  time.tick(20);
  clearInterval(id);
  time.tick(100);
  assertEquals(seen, [["every", 8], ["first", 10], ["second", 10], ["every", 16], ["late", 20]]);
});

Deno.test("FakeTime.runAll() also runs the timers that timers set", () => {
  using time = new FakeTime(0);
  const seen: number[] = [];
  setTimeout(() => {
    seen.push(Date.now());
    setTimeout(() => seen.push(Date.now()), 5);
  }, 5);
  time.runAll();
  assertEquals([seen, time.next(), time.now], [[5, 10], false, 10]);
});

Deno.test("FakeTime's asynchronous methods run promise callbacks before they advance the time", async () => {
  using time = new FakeTime(0);
  const seen: number[] = [];
  const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  const work = (async () => {
    await Promise.resolve();
    await wait(10);
    seen.push(Date.now());
    await wait(10);
    seen.push(Date.now());
  })();
  await time.tickAsync(10);
  assertEquals([await time.nextAsync(), time.now], [true, 20]);
  await time.runMicrotasks();
  await work;
  assertEquals(seen, [10, 20]);
});

Deno.test("FakeTime controls AbortSignal.timeout()", async () => {
  using time = new FakeTime();
  const signal = AbortSignal.timeout(1000);
  const waiting = new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  time.tick(999);
  assertEquals(signal.aborted, false);
  time.tick(1);
  const error = await assertRejects(() => waiting, DOMException);
  assertEquals(error.name, "TimeoutError");
});

Deno.test("FakeTime restores real time, and throws if it is misused", () => {
  const before = [Date, setTimeout, AbortSignal.timeout];
  const time = new FakeTime();
  assertThrows(() => new FakeTime(), TimeError, "already faked");
  assertThrows(() => time.now = 0, RangeError, "in the past");
  time.restore();
  assertEquals([Date, setTimeout, AbortSignal.timeout], before);
  assertThrows(() => time.restore(), TimeError, "already restored");
  assertThrows(() => new FakeTime("no date"), TypeError, "invalid start time");
});
