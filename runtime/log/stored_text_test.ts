import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { fromStorable, toStorable } from "./stored_text.ts";

/** Text whose units include those that PostgreSQL cannot store. */
const TEXT = fc.array(
  fc.constantFrom("a", "\\", "u", "0", "\0", "\ud800", "\udc00", "\u{1F600}", "€"),
).map((parts) => parts.join(""));

Deno.test("fromStorable() returns every text that toStorable() has escaped", () => {
  fc.assert(fc.property(TEXT, (text) => fromStorable(toStorable(text)) === text));
});

Deno.test("toStorable() returns text that PostgreSQL can store", () => {
  fc.assert(fc.property(TEXT, (text) => !/[\0\p{Surrogate}]/u.test(toStorable(text))));
  const cases = [
    ["chat-1", "chat-1"],
    ["a\0b", "a\\u0000b"],
    ["\ud800\ud83d\ude00\udc00", "\\ud800\ud83d\ude00\\udc00"],
    ["\\u0000", "\\\\u0000"],
  ] as const;
  for (const [text, stored] of cases) assertEquals(toStorable(text), stored);
});
