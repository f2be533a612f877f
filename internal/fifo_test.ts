import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../tools/testing/property.ts";
import { Fifo } from "./fifo.ts";

Deno.test("Fifo behaves like an array", () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ push: fc.nat(9) }),
      fc.record({ remove: fc.nat(9) }),
      fc.constant("shift" as const),
      fc.constant("clear" as const),
    ),
    { maxLength: 300, size: "max" },
  );
  fc.assert(
    fc.property(steps, (all) => {
      const list = new Fifo<number>();
      const model: number[] = [];
      for (const step of all) {
        if (step === "shift") assertEquals(list.shift(), model.shift());
        else if (step === "clear") assertEquals(list.clear(), model.splice(0));
        else if ("push" in step) {
          list.push(step.push);
          model.push(step.push);
        } else {
          list.remove(step.remove);
          const index = model.indexOf(step.remove);
          if (index >= 0) model.splice(index, 1);
        }
        assertEquals([list.size, list.first, list.at(2)], [model.length, model[0], model[2]]);
      }
    }),
    propertyRuns(50),
  );
});

Deno.test("Fifo keeps the order when its places are used again", () => {
  const list = new Fifo<number>();
  for (let item = 0; item < 1000; item++) list.push(item);
  for (let item = 0; item < 5000; item++) {
    assertEquals(list.shift(), item);
    list.push(1000 + item);
  }
  assertEquals(list.clear(), Array.from({ length: 1000 }, (_, index) => 5000 + index));
  assertEquals(list.shift(), undefined);
});

Deno.test("Fifo has no item behind the last one", () => {
  const list = new Fifo<number>();
  for (let item = 0; item < 8; item++) {
    list.push(item);
    for (let index = item + 1; index < 40; index++) assertEquals(list.at(index), undefined);
  }
  assertEquals(list.at(7), 7);
});

Deno.test("Fifo keeps the order when it grows and shrinks, wherever its first item is", () => {
  for (const removed of [0, 1, 700, 2999, 3000]) {
    const list = new Fifo<number>();
    for (let item = 0; item < 3000; item++) list.push(item);
    for (let item = 0; item < removed; item++) assertEquals(list.shift(), item);
    for (let item = 3000; item < 9000; item++) list.push(item);
    assertEquals([list.size, list.first, list.at(1)], [9000 - removed, removed, removed + 1]);
    for (let item = removed; item < 8990; item++) assertEquals(list.shift(), item);
    list.remove(8995);
    assertEquals(list.clear(), [8990, 8991, 8992, 8993, 8994, 8996, 8997, 8998, 8999]);
  }
});
