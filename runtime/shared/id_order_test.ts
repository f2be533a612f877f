import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { compareIds, endOfPrefix } from "./id_order.ts";

const encoder = new TextEncoder();
const text = fc.string({ unit: "binary", maxLength: 6 }).filter((each) => each.isWellFormed());

/** Compares the UTF-8 bytes of two texts, as a database does. */
function compareBytes(one: string, other: string): number {
  const [bytes, otherBytes] = [encoder.encode(one), encoder.encode(other)];
  const index = bytes.findIndex((byte, place) => byte !== otherBytes[place]);
  if (index < 0) return bytes.length - otherBytes.length;
  return (bytes[index] ?? 0) - (otherBytes[index] ?? -1);
}

Deno.test("compareIds() sorts as the UTF-8 bytes of the texts do", () => {
  assert(compareIds("\u{FFFF}", "\u{10000}") < 0);
  assert(compareIds("a\u{E000}", "a\u{1F600}") < 0);
  assert(compareIds("a", "ab") < 0);
  fc.assert(fc.property(text, text, (one, other) => {
    assertEquals(Math.sign(compareIds(one, other)), Math.sign(compareBytes(one, other)));
  }));
});

Deno.test("endOfPrefix() returns the first text after all texts with a prefix", () => {
  assertEquals(endOfPrefix("order-"), "order.");
  assertEquals(endOfPrefix("%_"), "%`");
  assertEquals(endOfPrefix("a\u{D7FF}"), "a\u{E000}");
  assertEquals(endOfPrefix("a\u{FFFF}"), "a\u{10000}");
  assertEquals(endOfPrefix("a\u{10FFFF}\u{10FFFF}"), "b");
  assertEquals(endOfPrefix("\u{10FFFF}"), undefined);
  fc.assert(fc.property(text, text, (prefix, other) => {
    const end = endOfPrefix(prefix);
    const isInRange = compareBytes(other, prefix) >= 0 &&
      (end === undefined || compareBytes(other, end) < 0);
    assertEquals(isInRange, other.startsWith(prefix));
    assert(end === undefined || compareBytes(`${prefix}${other}`, end) < 0);
  }));
});
