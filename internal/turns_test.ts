import { assertEquals } from "@std/assert";
import { Turns } from "./turns.ts";

function turnsOf(...items: string[]): Turns<string> {
  const turns = new Turns<string>((item) => item.slice(0, 3));
  for (const item of items) turns.push(item);
  return turns;
}

function shiftAll(turns: Turns<string>, hasCapacity?: (party: string) => boolean): string[] {
  const shifted: string[] = [];
  let item = turns.shift(hasCapacity);
  while (item !== undefined) {
    shifted.push(item);
    item = turns.shift(hasCapacity);
  }
  return shifted;
}

Deno.test("Turns lets parties take turns, the oldest item of each first", () => {
  const turns = turnsOf("eve0", "eve1", "eve2", "ann0");
  assertEquals(turns.size, 4);
  assertEquals(shiftAll(turns), ["eve0", "ann0", "eve1", "eve2"]);
  assertEquals([turns.size, turns.shift()], [0, undefined]);
});

Deno.test("Turns passes over a party without capacity, which keeps its turn", () => {
  const turns = turnsOf("eve0", "ann0", "ann1", "bob0");
  assertEquals(shiftAll(turns, (party) => party !== "eve"), ["ann0", "bob0", "ann1"]);
  turns.push("ann2");
  assertEquals([turns.size, ...shiftAll(turns)], [2, "eve0", "ann2"]);
});
