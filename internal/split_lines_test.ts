import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../tools/testing/property.ts";
import type { ChunkReader } from "./read_chunks.ts";
import { type Line, type LineReader, splitLines } from "./split_lines.ts";

function bytes(...chunks: (string | Uint8Array)[]): ChunkReader {
  return async (take) => {
    for (const chunk of chunks) {
      const isWanted = await take(
        typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk,
      );
      if (isWanted === false) return;
    }
  };
}

async function collect(read: LineReader): Promise<Line[]> {
  const all: Line[] = [];
  await read((line) => void all.push(line));
  return all;
}

Deno.test("splitLines() splits on line feeds, with or without a carriage return", async () => {
  assertEquals(await collect(splitLines(bytes("a\nb\r\nc"))), ["a", "b", "c"]);
});

Deno.test("splitLines() skips blank lines, also across chunks and at the end", async () => {
  const chunks = ["\n\r\n \t\na\n", " ", "\t\r", "\n\n b", "\n\ufeff\n", " "];
  assertEquals(await collect(splitLines(bytes(...chunks))), ["a", " b"]);
});

Deno.test("splitLines() returns no line for empty input or after a final line feed", async () => {
  assertEquals(await collect(splitLines(bytes())), []);
  assertEquals(await collect(splitLines(bytes("", "a\n", ""))), ["a"]);
});

Deno.test("splitLines() drops a byte order mark, and returns a placeholder for invalid UTF-8", async () => {
  const chunk = new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0xff, 0x0a, 0xef, 0xbb, 0xbf, 0x62, 0x0a]);
  assertEquals(await collect(splitLines(bytes(chunk))), [{ damagedText: "a\ufffd" }, "b"]);
  const parts = [0x61, 0xe2, 0x82].map((byte) => new Uint8Array([byte]));
  assertEquals(await collect(splitLines(bytes(...parts))), [{ damagedText: "a\ufffd" }]);
});

Deno.test("splitLines() skips a line that is too long and continues with the next line", async () => {
  const lines = splitLines(bytes("1234", "\n12345", "\n12", "345678\n", "ok"), { maxBytes: 4 });
  const tooLong = { maxBytes: 4 };
  assertEquals(await collect(lines), ["1234", tooLong, tooLong, "ok"]);
});

Deno.test("splitLines() copies the parts of a chunk that it keeps", async () => {
  const chunk = new Uint8Array([0x61]);
  const reused: ChunkReader = async (take) => {
    await take(chunk);
    chunk[0] = 0x0a;
    await take(chunk);
  };
  assertEquals(await collect(splitLines(reused)), ["a"]);
});

Deno.test("splitLines() waits for its callback after each line and stops when the callback returns false", async () => {
  const lines: Line[] = [];
  let isTaking = false;
  await splitLines(bytes("a\nb\nc", "d\nlast\n", "e\nf"))(async (line) => {
    assertEquals(isTaking, false);
    isTaking = true;
    lines.push(line);
    await Promise.resolve();
    isTaking = false;
    return line !== "last";
  });
  assertEquals(lines, ["a", "b", "cd", "last"]);
});

Deno.test("splitLines() returns the same lines for any chunking", async () => {
  const text = fc.array(fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom("\n", "\r\n")))
    .map((parts) => parts.join(""));
  await fc.assert(
    fc.asyncProperty(text, fc.array(fc.nat({ max: 40 })), async (whole, cuts) => {
      const all = new TextEncoder().encode(whole);
      const at = [0, ...cuts.map((cut) => Math.min(cut, all.length)).sort((a, b) => a - b)];
      const chunks = at.map((start, index) => all.slice(start, at[index + 1]));
      assertEquals(
        await collect(splitLines(bytes(...chunks))),
        await collect(splitLines(bytes(all))),
      );
    }),
    propertyRuns(150),
  );
});
