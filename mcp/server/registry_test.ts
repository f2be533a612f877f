import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { McpError } from "../shared/error.ts";
import { Registry } from "./registry.ts";

function ignore(): void {}

/** Returns the entries of all pages, and the number of pages. */
function readPages(registry: Registry<number>, size: number): [number[], number] {
  const entries: number[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = registry.page(cursor, size, undefined);
    entries.push(...page.entries);
    cursor = page.nextCursor;
    pages++;
  } while (cursor !== undefined);
  return [entries, pages];
}

Deno.test("the pages contain the visible entries in order of registration", () => {
  const steps = fc.array(fc.record({ key: fc.nat(30), isAdded: fc.boolean() }), { maxLength: 100 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 4 }), (
      all,
      size,
      divisor,
    ) => {
      const isShown = (key: string): boolean => Number(key) % divisor === 0;
      const registry = new Registry<number>("tool", ignore, ({ name }) => isShown(name));
      const model: string[] = [];
      for (const [step, { key, isAdded }] of all.entries()) {
        const name = String(key);
        const place = model.indexOf(name);
        if (!isAdded) registry.remove(name);
        else if (place === -1) registry.add(name, key);
        if (isAdded && place === -1) model.push(name);
        if (!isAdded && place !== -1) model.splice(place, 1);
        if (step % 5 > 0) continue;
        const shown = model.filter(isShown).map(Number);
        const count = Math.max(Math.ceil(shown.length / size), 1);
        assertEquals(readPages(registry, size), [shown, count]);
      }
    }),
    propertyRuns(100),
  );
});

Deno.test("a page of a registry does not pass over the entries of other pages", () => {
  let checks = 0;
  const registry = new Registry<number>("tool", ignore, () => {
    checks++;
    return true;
  });
  for (let key = 0; key < 10_000; key++) registry.add(String(key), key);
  const { entries, nextCursor } = registry.page("4999", 10, undefined);
  assertEquals([entries.length, entries[0], nextCursor], [10, 5000, "5009"]);
  // The cursor, the entries of the page, and the first entry of the next page.
  assertEquals(checks, 12);
});

Deno.test("a cursor that is not the key of a visible entry is invalid", () => {
  const registry = new Registry<number>("tool", ignore, ({ name }) => name !== "hidden");
  for (const key of ["a", "hidden", "b", "gone"]) registry.add(key, 1);
  registry.remove("gone");
  for (const cursor of ["hidden", "gone", "never", ""]) {
    const error = assertThrows(() => registry.page(cursor, 1, undefined), McpError);
    assertEquals(error.rpcCode, -32602);
  }
  assertEquals(registry.page("a", 1, undefined), { entries: [1] });
});
