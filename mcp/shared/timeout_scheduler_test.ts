import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { type TimeoutEntry, TimeoutScheduler } from "./timeout_scheduler.ts";

/** A timeout that records when it fires and removes itself. */
class Sleeper implements TimeoutEntry {
  readonly received: number[] = [];
  dueAt: number;

  constructor(dueAt: number) {
    this.dueAt = dueAt;
  }

  fire(now: number): void {
    this.received.push(now);
    this.dueAt = Infinity;
  }
}

Deno.test("TimeoutScheduler fires each timeout when it is due, in any order of insertion", () => {
  using time = new FakeTime(0);
  const scheduler = new TimeoutScheduler();
  const sleepers = [300, 100, 200, 100].map((ms) => new Sleeper(ms));
  for (const sleeper of sleepers) scheduler.add(sleeper);
  time.tick(1000);
  assertEquals(sleepers.map(({ received }) => received), [[300], [100], [200], [100]]);
});

Deno.test("TimeoutScheduler does not fire a removed timeout, and fires a changed timeout at its new time", () => {
  using time = new FakeTime(0);
  const scheduler = new TimeoutScheduler();
  const [gone, moved] = [new Sleeper(100), new Sleeper(100)];
  scheduler.add(gone);
  scheduler.add(moved);
  scheduler.remove(gone);
  moved.dueAt = 250;
  time.tick(1000);
  assertEquals([gone.received, moved.received], [[], [250]]);
});

Deno.test("TimeoutScheduler fires a timeout that is added after all others were removed", () => {
  using time = new FakeTime(0);
  const scheduler = new TimeoutScheduler();
  const [first, second] = [new Sleeper(100), new Sleeper(150)];
  scheduler.add(first);
  scheduler.remove(first);
  time.tick(120);
  scheduler.add(second);
  time.tick(30);
  assertEquals(second.received, [150]);
});

Deno.test("TimeoutScheduler schedules a timeout once, even if it is added twice", () => {
  using time = new FakeTime(0);
  const scheduler = new TimeoutScheduler();
  const [twice, other] = [new Sleeper(100), new Sleeper(100)];
  for (const sleeper of [twice, other, twice]) scheduler.add(sleeper);
  scheduler.remove(twice);
  time.tick(1000);
  assertEquals([twice.received, other.received], [[], [100]]);
});

Deno.test("TimeoutScheduler supports long and infinite timeouts", () => {
  using time = new FakeTime(0);
  const scheduler = new TimeoutScheduler();
  const [late, never] = [new Sleeper(2 ** 33), new Sleeper(Infinity)];
  scheduler.add(late);
  scheduler.add(never);
  time.tick(2 ** 33 - 1);
  assertEquals(late.received, []);
  time.tick(1);
  assertEquals([late.received, never.received], [[2 ** 33], []]);
});

Deno.test("a stopped TimeoutScheduler leaves no timer, even for timeouts that are added later", () => {
  const scheduler = new TimeoutScheduler();
  const [first, second] = [new Sleeper(Date.now() + 60_000), new Sleeper(Date.now() + 60_000)];
  scheduler.add(first);
  scheduler.stop();
  scheduler.remove(first);
  scheduler.add(second);
  scheduler.remove(second);
  scheduler.remove(second);
});

Deno.test("TimeoutScheduler keeps the process alive only while it has timeouts", async () => {
  const url = new URL("timeout_scheduler.ts", import.meta.url);
  const code = `
    import { TimeoutScheduler } from "${url}";
    const scheduler = new TimeoutScheduler();
    const waiter = { dueAt: Date.now() + 50, fire: () => { console.log("rang"); scheduler.remove(waiter); } };
    const idle = { dueAt: Date.now() + 3_600_000, fire: () => {} };
    scheduler.add(idle);
    scheduler.remove(idle);
    scheduler.add(waiter);
  `;
  const { stdout } = await new Deno.Command("deno", { args: ["eval", code] }).output();
  assertEquals(new TextDecoder().decode(stdout), "rang\n");
});
