import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { LineSplitter } from "./line_splitter.ts";

function split(chunks: readonly Uint8Array[], maxBytes: number): (string | number)[] {
  const splitter = new LineSplitter(maxBytes);
  const lines = [...chunks.flatMap((chunk) => [...splitter.push(chunk)]), ...splitter.end()];
  return lines.map((line) =>
    line instanceof Uint8Array ? new TextDecoder().decode(line) : line.bytes
  );
}

function toChunks(...texts: readonly string[]): Uint8Array[] {
  return texts.map((text) => new TextEncoder().encode(text));
}

Deno.test("LineSplitter splits on line feeds, regardless of chunk boundaries", () => {
  assertEquals(split(toChunks("a\nb", "c\n", "\n", "d"), 10), ["a", "bc", "d"]);
  assertEquals(split(toChunks(), 10), []);
  assertEquals(split(toChunks("a\n"), 10), ["a"]);
});

Deno.test("LineSplitter skips a line that is too long and continues with the next line", () => {
  assertEquals(split(toChunks("ok\n", "12", "345", "67", "89\nok\n", "123456"), 4), [
    "ok",
    5,
    "ok",
    6,
  ]);
});

Deno.test("LineSplitter returns the same lines for any division into chunks", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "é", "\n", " ", "\r"), maxLength: 60 });
  fc.assert(
    fc.property(text, fc.array(fc.nat(10)), (whole, sizes) => {
      const bytes = new TextEncoder().encode(whole);
      const chunks: Uint8Array[] = [];
      let offset = 0;
      for (const size of [...sizes, bytes.length]) {
        chunks.push(bytes.subarray(offset, offset + size));
        offset += size;
      }
      const lines = whole.split("\n").filter((line) => !/^[ \t\r]*$/.test(line));
      assertEquals(split(chunks, 1000), lines);
    }),
    propertyRuns(300),
  );
});

Deno.test("LineSplitter assembles a long line from small chunks in linear time", () => {
  const splitter = new LineSplitter(8 * 1024 * 1024);
  const chunk = new Uint8Array(256).fill(0x61);
  const started = performance.now();
  for (let count = 0; count < 32_000; count++) assertEquals([...splitter.push(chunk)], []);
  assertEquals([...splitter.end()].length, 1);
  assertEquals(performance.now() - started < 2000, true);
});

Deno.test("LineSplitter copies chunks, so that callers can reuse them", () => {
  const splitter = new LineSplitter(100);
  const chunk = new TextEncoder().encode("ab");
  assertEquals([...splitter.push(chunk)], []);
  chunk.fill(0x78);
  const [line] = splitter.push(new TextEncoder().encode("c\n"));
  assertEquals(line, new TextEncoder().encode("abc"));
});

Deno.test("LineSplitter skips lines that contain only spaces, tabs and carriage returns", () => {
  assertEquals(split(toChunks("\n \n\t\r\n", " ", "\t", "\n", "a\n\n \r\n b \n", " \r"), 10), [
    "a",
    " b ",
  ]);
});

Deno.test("LineSplitter creates the lines of a chunk one at a time", () => {
  const splitter = new LineSplitter(10);
  const lines = splitter.push(new TextEncoder().encode("a\n".repeat(100_000)));
  assertEquals(lines.next().value, new TextEncoder().encode("a"));
});
