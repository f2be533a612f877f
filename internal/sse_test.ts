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

Deno.test("decodeSse() marks the events that are not UTF-8, and only them, for any chunking", async () => {
  const latin1 = (text: string) => Uint8Array.from(text, (unit) => unit.charCodeAt(0));
  const parts = [
    encoder.encode("\ufeffdata: \u20ac\n\nid: "),
    latin1("\xe9\ndata: a\xe9b\ndata: c\n\n: \xff\nid: 2\ndata: \xe2\x82\r\n\r\n"),
    encoder.encode("data: \ufffd\u{1f389}\u{10ffff}\n\ndata: d"),
    latin1("\xf0\n\n"),
  ];
  const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
  const expected: SseItem[] = [
    event("\u20ac"),
    { kind: "event", type: "message", data: "a\ufffdb\nc", isDamaged: true },
    { kind: "id", id: "2" },
    { kind: "event", type: "message", data: "\ufffd", isDamaged: true },
    event("\ufffd\u{1f389}\u{10ffff}"),
    { kind: "event", type: "message", data: "d\ufffd", isDamaged: true },
  ];
  assertEquals(await decode([bytes]), expected);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
      const ends = [...cuts.sort((a, b) => a - b), bytes.length];
      const chunks = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
      const items = await decode(chunks);
      assertEquals(items.map(summarize), expected.map(summarize));
    }),
    propertyRuns(100),
  );
});

/** An item without the replacement characters, whose number depends on the chunks. */
function summarize(item: SseItem): unknown {
  if (item.kind !== "event" || !item.isDamaged) return item;
  return { ...item, data: item.data.replaceAll("\ufffd", "") };
}
