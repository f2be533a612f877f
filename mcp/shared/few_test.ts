import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { Few } from "./few.ts";

Deno.test("Few behaves like a map", () => {
  const key = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constantFrom("1", "2"));
  const step = fc.record({ key, act: fc.constantFrom("set", "delete", "get") });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const few = new Few<number | string, number>();
      const model = new Map<number | string, number>();
      for (const [index, { key, act }] of steps.entries()) {
        if (act === "delete") assertEquals(few.delete(key), model.delete(key));
        if (act === "get") assertEquals(few.get(key), model.get(key));
        if (act === "set") {
          few.set(key, index);
          model.set(key, index);
        }
        assertEquals([few.size, few.values()], [model.size, [...model.values()]]);
      }
    }),
    propertyRuns(300),
  );
});

Deno.test("Few knows nothing under a key that is none", () => {
  const few = new Few<number, string>();
  assertEquals(few.get(undefined), undefined);
  few.set(1, "one");
  assertEquals([few.get(undefined), few.get("1"), few.get(1)], [undefined, undefined, "one"]);
});
