import { assertEquals, assertRejects } from "@std/assert";
import { ShortTurns } from "./short_turns.ts";

/** Turns with a clock that operations advance, and pauses that the test ends. */
class Setup {
  readonly done: string[] = [];
  readonly pauses: (() => void)[] = [];
  readonly turns: ShortTurns;
  #nowMs = 1000;

  constructor() {
    this.turns = new ShortTurns((callback) => this.pauses.push(callback), () => this.#nowMs);
  }

  /** Runs an operation that takes the given time. */
  run(name: string, ms: number): Promise<string> {
    return this.turns.run(() => {
      this.#nowMs += ms;
      this.done.push(name);
      return name;
    });
  }

  /** Lets time pass between operations. */
  wait(ms: number): void {
    this.#nowMs += ms;
  }

  endPause(): void {
    this.pauses.shift()?.();
  }
}

Deno.test("ShortTurns runs operations at once until they have taken 4 ms", async () => {
  const setup = new Setup();
  const results = [setup.run("a", 1), setup.run("b", 2.5), setup.run("c", 1)];
  assertEquals(setup.done, ["a", "b", "c"]);
  assertEquals(await Promise.all(results), ["a", "b", "c"]);
  assertEquals(setup.pauses.length, 0);
});

Deno.test("ShortTurns pauses before an operation that follows 4 ms of operations", async () => {
  const setup = new Setup();
  await setup.run("a", 5);
  const later = [setup.run("b", 3), setup.run("c", 3), setup.run("d", 1)];
  assertEquals(setup.done, ["a"]);
  assertEquals(setup.pauses.length, 1);
  setup.endPause();
  assertEquals(setup.done, ["a", "b", "c"]);
  assertEquals(setup.pauses.length, 1);
  later.push(setup.run("e", 1));
  assertEquals(setup.done, ["a", "b", "c"]);
  setup.endPause();
  assertEquals(setup.done, ["a", "b", "c", "d", "e"]);
  assertEquals(await Promise.all(later), ["b", "c", "d", "e"]);
  assertEquals(setup.pauses.length, 0);
});

Deno.test("ShortTurns counts the time of operations only", async () => {
  const setup = new Setup();
  for (const name of ["a", "b", "c"]) {
    await setup.run(name, 1);
    setup.wait(100);
  }
  await setup.run("d", 1);
  assertEquals(setup.pauses.length, 0);
});

Deno.test("ShortTurns pauses again if the operations after a pause fill a turn exactly", async () => {
  const setup = new Setup();
  await setup.run("a", 4);
  const second = setup.run("b", 4);
  setup.endPause();
  assertEquals(await second, "b");
  const third = setup.run("c", 4);
  assertEquals(setup.done, ["a", "b"]);
  setup.endPause();
  assertEquals(await third, "c");
});

Deno.test("ShortTurns rejects if an operation throws, and counts its time", async () => {
  const setup = new Setup();
  const failing = () =>
    setup.turns.run(() => {
      setup.wait(5);
      throw new RangeError("no");
    });
  await assertRejects(failing, RangeError, "no");
  const waiting = failing();
  const next = setup.run("a", 1);
  assertEquals(setup.pauses.length, 1);
  setup.endPause();
  await assertRejects(() => waiting, RangeError, "no");
  setup.endPause();
  assertEquals(await next, "a");
});
