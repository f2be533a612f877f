import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../tools/testing/property.ts";
import { LinkedList, type ListEntry } from "./linked_list.ts";

Deno.test("LinkedList behaves like an array", () => {
  const steps = fc.array(
    fc.oneof(fc.record({ push: fc.nat(9) }), fc.record({ removeAt: fc.nat(20) })),
    { maxLength: 300, size: "max" },
  );
  fc.assert(
    fc.property(steps, (all) => {
      const list = new LinkedList<number>();
      const model: ListEntry<number>[] = [];
      for (const step of all) {
        if ("push" in step) model.push(list.push(step.push));
        else for (const entry of model.splice(step.removeAt, 1)) list.remove(entry);
        assertEquals([...list], model.map(({ value }) => value));
        assertEquals([list.size, list.first], [model.length, model[0]]);
      }
    }),
    propertyRuns(50),
  );
});

Deno.test("LinkedList removes the first, the last, the only and a middle item", () => {
  const list = new LinkedList<string>();
  const [a, b, c, d] = [list.push("a"), list.push("b"), list.push("c"), list.push("d")];
  list.remove(b);
  assertEquals([...list], ["a", "c", "d"]);
  list.remove(d);
  list.remove(a);
  assertEquals([[...list], list.size], [["c"], 1]);
  list.remove(c);
  assertEquals([[...list], list.size, list.first], [[], 0, undefined]);
  list.push("e");
  assertEquals([...list], ["e"]);
});
