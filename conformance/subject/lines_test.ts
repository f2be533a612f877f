import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { LineSplitter } from "./lines.ts";

function split(chunks: readonly Uint8Array[], maxBytes = 1000): readonly (string | number)[] {
  const found: (string | number)[] = [];
  const splitter = new LineSplitter({
    line: (text) => found.push(text),
    overflow: (bytes) => found.push(bytes),
  }, maxBytes);
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return found;
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

Deno.test("LineSplitter splits on LF and CRLF, and flushes an unterminated last line", () => {
  assertEquals(split([bytes("a\r\nb\n\nc")]), ["a", "b", "", "c"]);
  assertEquals(split([bytes("a\n")]), ["a"]);
  assertEquals(split([]), []);
});

Deno.test("LineSplitter stops at the first line that exceeds the limit and reports the line's length", () => {
  assertEquals(split([bytes("ab\nabcd\nab\n")], 3), ["ab", 4]);
});

Deno.test("LineSplitter returns the same lines for any division of the bytes into chunks", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), fc.array(fc.nat(8)), (lines, sizes) => {
      const text = lines.map((line) => line.replace(/[\r\n]/g, "")).join("\n");
      const whole = bytes(text);
      const chunks: Uint8Array[] = [];
      let at = 0;
      for (const size of sizes) chunks.push(whole.subarray(at, at += size));
      assertEquals(split([...chunks, whole.subarray(at)], 1e6), split([whole], 1e6));
    }),
    propertyRuns(100),
  );
});
