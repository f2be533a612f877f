import { assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { McpError } from "./error.ts";
import { decodeSse, type SseItem } from "./sse_decode.ts";

const encoder = new TextEncoder();

async function decode(
  chunks: readonly Uint8Array[],
  maxEventChars = 1_000_000,
): Promise<SseItem[]> {
  const items: SseItem[] = [];
  async function* source(): AsyncGenerator<Uint8Array> {
    yield* chunks;
  }
  for await (const item of decodeSse(source(), { maxEventChars })) items.push(item);
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
    await assertRejects(() => decode([encoder.encode(`data: a\n\n${long}`)], 10), McpError);
    const [first] = await decode([encoder.encode(`data: a\n\n${long}`)], 100);
    assertEquals(first, event("a"));
  }
});
