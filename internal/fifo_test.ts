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

Deno.test("Fifo keeps the order when its unused part is removed", () => {
  const list = new Fifo<number>();
  for (let item = 0; item < 1000; item++) list.push(item);
  for (let item = 0; item < 1000; item++) {
    assertEquals(list.shift(), item);
    list.push(1000 + item);
  }
  assertEquals(list.clear(), Array.from({ length: 1000 }, (_, index) => 1000 + index));
  assertEquals(list.shift(), undefined);
});
