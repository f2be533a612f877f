import { assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../tools/testing/property.ts";
import { decodeSse, type SseItem } from "./sse.ts";

const encoder = new TextEncoder();

/** Error for an event that is too long. */
class TooLong extends Error {}

function onTooLong(): TooLong {
  return new TooLong();
}

async function decode(
  chunks: readonly Uint8Array[],
  maxEventChars = 1_000_000,
): Promise<SseItem[]> {
  const items: SseItem[] = [];
  async function* source(): AsyncGenerator<Uint8Array> {
    yield* chunks;
  }
  for await (const item of decodeSse(source(), { maxEventChars, onTooLong })) items.push(item);
  return items;
}

function event(data: string, type = "message"): SseItem {
  return { kind: "event", type, data };
}

const CASES: readonly [string, readonly SseItem[]][] = [
  ["data: a\n\n", [event("a")]],
  ["event: endpoint\r\ndata: /x\r\n\r\n", [event("/x", "endpoint")]],
  ["data: a\rdata: b\r\r", [event("a\nb")]],
  ["\uFEFFdata:a\n\n", [event("a")]],
  [": keep-alive\n\ndata: a\n\n", [event("a")]],
  ["id: 7\nretry: 500\ndata: \n\n", [
    { kind: "retry", retryMs: 500 },
    { kind: "id", id: "7" },
    event(""),
  ]],
  ["id: 7\n\n", [{ kind: "id", id: "7" }]],
  ["retry: soon\ndata: a\n\n", [event("a")]],
  ["other: a\n\n", []],
  ["data: cut off", []],
  ["data: cut off\n", []],
  ["data: é€🎉\n\n", [event("é€🎉")]],
];

Deno.test("decodeSse() decodes events, ids and retry times, and ignores other fields", async () => {
  for (const [text, items] of CASES) assertEquals(await decode([encoder.encode(text)]), items);
});

Deno.test("decodeSse() returns the same items for any chunking", async () => {
  const bytes = encoder.encode(CASES.map(([text]) => `${text}\n\n`).join("").replace("\uFEFF", ""));
  const whole = await decode([bytes]);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
      const ends = [...cuts.sort((a, b) => a - b), bytes.length];
      const chunks = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
      assertEquals(await decode(chunks), whole);
    }),
    propertyRuns(100),
  );
});

Deno.test("decodeSse() throws for an event that is too long, after the earlier events", async () => {
  for (
    const long of [`data: ${"x".repeat(50)}\n\n`, `data: ${"x".repeat(50)}`, "data: x\n".repeat(20)]
  ) {
    await assertRejects(() => decode([encoder.encode(`data: a\n\n${long}`)], 10), TooLong);
    const [first] = await decode([encoder.encode(`data: a\n\n${long}`)], 100);
    assertEquals(first, event("a"));
  }
});

async function* source(chunks: readonly string[]): AsyncGenerator<Uint8Array> {
  await Promise.resolve();
  for (const chunk of chunks) yield encoder.encode(chunk);
}

/**
 * Bodies whose second event has 11 characters, in chunks: one chunk, several chunks, without an
 * end, two lines.
 */
const TOO_LONG: readonly (readonly string[])[] = [
  ["data: a\n\ndata: 12345678901\n\ndata: b\n\n"],
  ["data: a\n\ndata: 12345", "678901\n", "\ndata: b\n\n"],
  ["data: a\n\ndata: 12345\n", "data: 67890\n\n"],
  [`data: a\n\ndata: ${"1".repeat(20)}`],
  ["data: a\n\n", `data: ${"1".repeat(20)}`],
];

Deno.test("decodeSse() throws for an event beyond the limit in the chunk in which it exceeds the limit", async () => {
  for (const chunks of TOO_LONG) {
    const items: SseItem[] = [];
    await assertRejects(async () => {
      const options = { maxEventChars: 10, onTooLong };
      for await (const item of decodeSse(source(chunks), options)) items.push(item);
    }, TooLong);
    assertEquals(items, [event("a")], chunks.join("|"));
  }
});

Deno.test("decodeSse() accepts an event at the limit for any chunking", async () => {
  const bytes = encoder.encode("data: 12345\r\ndata: 6789\r\n\r\n");
  for (let cut = 0; cut <= bytes.length; cut++) {
    const chunks = [bytes.subarray(0, cut), bytes.subarray(cut)];
    assertEquals(await decode(chunks, 10), [event("12345\n6789")]);
  }
});

Deno.test("decodeSse() replaces invalid UTF-8, or throws the error of onNotUtf8", async () => {
  const damaged = [encoder.encode("data: a"), new Uint8Array([0xff]), encoder.encode("\n\n")];
  assertEquals(await decode(damaged), [event("a\ufffd")]);
  const split = [encoder.encode("data: "), new Uint8Array([0xc3]), new Uint8Array([0xa9])];
  const valid = [...split, encoder.encode("\n\ndata: b\n\n")];
  const strict = async (chunks: readonly Uint8Array[]) => {
    const items: SseItem[] = [];
    async function* source(): AsyncGenerator<Uint8Array> {
      yield* chunks;
    }
    const onNotUtf8 = () => new Error("not UTF-8");
    const options = { maxEventChars: 100, onTooLong, onNotUtf8 };
    for await (const item of decodeSse(source(), options)) items.push(item);
    return items;
  };
  assertEquals(await strict(valid), [event("\u00e9"), event("b")]);
  await assertRejects(() => strict(damaged), Error, "not UTF-8");
});
