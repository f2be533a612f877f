import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../tools/testing/property.ts";
import { LinkedList, type ListEntry } from "./linked_list.ts";

function itemsOf<T>(list: LinkedList<T>): T[] {
  const items: T[] = [];
  for (let entry = list.first; entry !== undefined; entry = entry.next) items.push(entry.value);
  return items;
}

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
        assertEquals(itemsOf(list), model.map(({ value }) => value));
        assertEquals(list.first, model[0]);
      }
    }),
    propertyRuns(50),
  );
});

Deno.test("LinkedList removes the first, the last, the only and a middle item", () => {
  const list = new LinkedList<string>();
  const [a, b, c, d] = [list.push("a"), list.push("b"), list.push("c"), list.push("d")];
  list.remove(b);
  assertEquals(itemsOf(list), ["a", "c", "d"]);
  list.remove(d);
  list.remove(a);
  assertEquals(itemsOf(list), ["c"]);
  list.remove(c);
  assertEquals([itemsOf(list), list.first], [[], undefined]);
  list.push("e");
  assertEquals(itemsOf(list), ["e"]);
});
