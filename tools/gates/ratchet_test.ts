import { assertEquals } from "@std/assert";
import { compareToRatchet, lowerRatchet } from "./ratchet.ts";

Deno.test("compareToRatchet() reports numbers that are above or below the allowed number", () => {
  const measured = new Map([["same", 2], ["more", 4], ["less", 1], ["new", 1], ["zero", 0]]);
  const allowed = { same: 2, more: 3, less: 2, gone: 5 };
  assertEquals(compareToRatchet(measured, allowed, "r.json"), {
    errors: ["more: 4, but r.json allows 3", "new: 1, but r.json allows 0"],
    hints: ["gone: 0; lower 5 to 0 in r.json", "less: 1; lower 2 to 1 in r.json"],
  });
});

Deno.test("lowerRatchet() lowers numbers, but never raises or adds a number", () => {
  const now = new Map([["a", 1], ["b", 9], ["new", 3]]);
  assertEquals(lowerRatchet({ a: 2, b: 5, gone: 4 }, now), { a: 1, b: 5 });
});
