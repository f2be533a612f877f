import { assertEquals, assertRejects } from "@std/assert";
import { readEvents } from "./sse.ts";

const LIMIT = 8 * 1024 * 1024;
const encoder = new TextEncoder();

async function read(chunks: readonly string[]): Promise<readonly number[]> {
  const lengths: number[] = [];
  async function* body(): AsyncGenerator<Uint8Array> {
    await Promise.resolve();
    for (const chunk of chunks) yield encoder.encode(chunk);
  }
  await readEvents(body(), ({ data }) => lengths.push(data.length));
  return lengths;
}

Deno.test("readEvents() rejects an event beyond the limit in one chunk, in two chunks and without an end", async () => {
  const long = "x".repeat(LIMIT + 1);
  const bodies = [
    [`data: ${long}\n\n`],
    [`data: ${long.slice(0, 10)}`, `${long.slice(10)}\n\n`],
    [`data: ${long}${"x".repeat(10)}`],
  ];
  for (const chunks of bodies) {
    await assertRejects(
      () => read(chunks),
      RangeError,
      `an event is longer than ${LIMIT} characters`,
    );
  }
});

Deno.test("readEvents() accepts an event at the limit in one chunk and in two chunks", async () => {
  const text = "x".repeat(LIMIT);
  assertEquals(await read([`data: ${text}\n\n`]), [LIMIT]);
  assertEquals(await read([`data: ${text}`, "\n\n"]), [LIMIT]);
});
