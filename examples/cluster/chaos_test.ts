import { assertEquals } from "@std/assert";
import { Chaos } from "./chaos.ts";

const NAMES = ["worker-1", "worker-2", "replica-1"];

/** Returns the killed processes, each with the progress at which it was killed. */
function killsOf(seed: number, isReady: (progress: number) => boolean = () => true): string[] {
  const chaos = new Chaos(5, 100, seed);
  const killed: string[] = [];
  for (let progress = 1; progress <= 100; progress++) {
    chaos.onProgress((choose) => {
      const name = isReady(progress) ? choose(NAMES) : undefined;
      if (name !== undefined) killed.push(`${name} at ${progress}`);
      return name !== undefined;
    });
  }
  return killed;
}

Deno.test("the kills depend on the seed only", () => {
  assertEquals(killsOf(1), killsOf(1));
  assertEquals(new Set([1, 2, 3].map((seed) => killsOf(seed).join())).size, 3);
});

Deno.test("all kills occur before the last fifth of the progress", () => {
  for (let seed = 0; seed < 200; seed++) {
    const points = killsOf(seed).map((kill) => Number(kill.split(" ").at(-1)));
    assertEquals(points.length, 5);
    assertEquals(points.every((point) => point >= 1 && point <= 80), true);
  }
});

Deno.test("a kill that is due while no process is ready occurs with the next progress", () => {
  const points = killsOf(1, (progress) => progress > 85).map((kill) => kill.split(" ").at(-1));
  assertEquals(points, ["86", "86", "86", "86", "86"]);
});
