import { assert, assertEquals, assertRejects } from "@std/assert";
import { AgentError } from "../shared/error.ts";
import { decodeEvents, type ServerSentEvent } from "./sse.ts";

const encoder = new TextEncoder();

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

Deno.test("decodeEvents() throws for an event beyond the limit in the chunk in which it exceeds the limit", async () => {
  for (const chunks of TOO_LONG) {
    const events: ServerSentEvent[] = [];
    const error = await assertRejects(async () => {
      for await (const event of decodeEvents(source(chunks), 10)) events.push(event);
    }, AgentError);
    assertEquals(events, [{ event: "message", data: "a" }], chunks.join("|"));
    assert(error.is("model_error"));
    assertEquals(error.details.reason, "an event of the response is longer than 10 characters");
  }
});

Deno.test("decodeEvents() accepts an event at the limit for any chunking", async () => {
  const text = "data: 12345\r\ndata: 6789\r\n\r\n";
  for (let cut = 0; cut <= text.length; cut++) {
    const events = await Array.fromAsync(
      decodeEvents(source([text.slice(0, cut), text.slice(cut)]), 10),
    );
    assertEquals(events, [{ event: "message", data: "12345\n6789" }]);
  }
});
