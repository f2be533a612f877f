import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { type TimeoutEntry, TimeoutScheduler } from "./timeout_scheduler.ts";

/** Writes down when it was called, and waits no more then. */
class Sleeper implements TimeoutEntry {
  readonly heard: number[] = [];
  dueAt: number;

  constructor(dueAt: number) {
    this.dueAt = dueAt;
  }

  fire(now: number): void {
    this.heard.push(now);
    this.dueAt = Infinity;
  }
}

Deno.test("a clock calls each when its time has come, in whatever order they came", () => {
  using time = new FakeTime(0);
  const clock = new TimeoutScheduler();
  const sleepers = [300, 100, 200, 100].map((ms) => new Sleeper(ms));
  for (const sleeper of sleepers) clock.add(sleeper);
  time.tick(1000);
  assertEquals(sleepers.map(({ heard }) => heard), [[300], [100], [200], [100]]);
});

Deno.test("a clock calls nobody who has gone, and who has moved at the new time", () => {
  using time = new FakeTime(0);
  const clock = new TimeoutScheduler();
  const [gone, moved] = [new Sleeper(100), new Sleeper(100)];
  clock.add(gone);
  clock.add(moved);
  clock.remove(gone);
  moved.dueAt = 250;
  time.tick(1000);
  assertEquals([gone.heard, moved.heard], [[], [250]]);
});

Deno.test("a clock calls whoever comes after everybody had gone", () => {
  using time = new FakeTime(0);
  const clock = new TimeoutScheduler();
  const [first, second] = [new Sleeper(100), new Sleeper(150)];
  clock.add(first);
  clock.remove(first);
  time.tick(120);
  clock.add(second);
  time.tick(30);
  assertEquals(second.heard, [150]);
});

Deno.test("a clock waits as long as it takes, be it for ever", () => {
  using time = new FakeTime(0);
  const clock = new TimeoutScheduler();
  const [late, never] = [new Sleeper(2 ** 33), new Sleeper(Infinity)];
  clock.add(late);
  clock.add(never);
  time.tick(2 ** 33 - 1);
  assertEquals(late.heard, []);
  time.tick(1);
  assertEquals([late.heard, never.heard], [[2 ** 33], []]);
});

Deno.test("a clock that is stopped leaves no timer, nor does it for those who come later", () => {
  const clock = new TimeoutScheduler();
  const [first, second] = [new Sleeper(Date.now() + 60_000), new Sleeper(Date.now() + 60_000)];
  clock.add(first);
  clock.stop();
  clock.remove(first);
  clock.add(second);
  clock.remove(second);
  clock.remove(second);
});

Deno.test("a clock keeps a process alive as long as somebody waits, and no longer", async () => {
  const url = new URL("timeout_scheduler.ts", import.meta.url);
  const code = `
    import { TimeoutScheduler } from "${url}";
    const clock = new TimeoutScheduler();
    const waiter = { dueAt: Date.now() + 50, fire: () => { console.log("rang"); clock.remove(waiter); } };
    const idle = { dueAt: Date.now() + 3_600_000, fire: () => {} };
    clock.add(idle);
    clock.remove(idle);
    clock.add(waiter);
  `;
  const { stdout } = await new Deno.Command("deno", { args: ["eval", code] }).output();
  assertEquals(new TextDecoder().decode(stdout), "rang\n");
});
