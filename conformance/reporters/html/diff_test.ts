import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../../tools/testing/property.ts";
import { diffTexts, type Segment } from "./diff.ts";

/** Joins the parts, with brackets around those that differ. */
function write(segments: readonly Segment[]): string {
  return segments.map(({ text, isDifferent }) => isDifferent ? `[${text}]` : text).join("");
}

Deno.test("diffTexts() marks the characters and words that the other text lacks", () => {
  const rows: readonly (readonly [string, string, string, string])[] = [
    ["same", "same", "same", "same"],
    ["", "new", "", "[new]"],
    ["1e+30", "1e30", "1e[+]30", "1e30"],
    ["a b c d", "a x c y", "a [b] c [d]", "a [x] c [y]"],
    ["😀", "😁", "[😀]", "[😁]"],
    ["ab ab", "ab", "ab[ ab]", "ab"],
  ];
  for (const [expected, got, one, other] of rows) {
    const diff = diffTexts(expected, got);
    assertEquals([write(diff.expected), write(diff.got)], [one, other]);
  }
});

Deno.test("diffTexts() marks everything between the first and last difference of long texts", () => {
  const long = (word: string): string => `start ${`${word} and `.repeat(1000)}end`;
  const { expected, got } = diffTexts(long("one"), long("two"));
  assertEquals(expected.length, 3);
  assertEquals(got.at(-1)?.text.endsWith("and end"), true);
});

Deno.test("diffTexts() returns parts that make up both texts and are equal where they are not marked", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "1", "😀", '"') });
  fc.assert(
    fc.property(text, text, (one, other) => {
      const { expected, got } = diffTexts(one, other);
      const join = (all: readonly Segment[]): string => all.map((each) => each.text).join("");
      const shared = (all: readonly Segment[]): string =>
        join(all.filter(({ isDifferent }) => !isDifferent));
      assertEquals([join(expected), join(got)], [one, other]);
      assertEquals(shared(expected), shared(got));
      assert([...expected, ...got].every((each) => each.text !== ""));
    }),
    propertyRuns(500),
  );
});
