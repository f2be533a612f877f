import { assertEquals, assertThrows } from "@std/assert";
import { substitute } from "./substitute.ts";

Deno.test("substitute() replaces captured values and handles at any depth", () => {
  const names = { captures: new Map([["a", 1]]), handles: new Map([["h", "handle-1"]]) };
  const value = [{ "$ref": "a" }, { x: { "$handle": "h" } }];
  assertEquals(substitute(value, names), [1, { x: "handle-1" }]);
});

Deno.test("substitute() keeps objects with other members and rejects unknown names", () => {
  const names = { captures: new Map() };
  const value = { "$ref": "b", other: true };
  assertEquals(substitute(value, names), value);
  assertThrows(() => substitute({ "$ref": "b" }, names));
});
