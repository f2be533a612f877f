import { assert, assertEquals } from "@std/assert";
import { formatMessage } from "../mod.ts";
import { createMessage } from "../testdata/messages.ts";
import { LineSplitter } from "../transport/line_splitter.ts";
import { streamTransport } from "../transport.ts";

/**
 * Calls a function in the next turn of the event loop, unless the returned object is disposed
 * first.
 */
function onNextTurn(callback: () => void): Disposable {
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = callback;
  port2.postMessage(null);
  return { [Symbol.dispose]: () => [port1, port2].forEach((port) => port.close()) };
}

/** A chunk that counts the arrays created from it. */
class CountingChunk extends Uint8Array<ArrayBuffer> {
  created = 0;

  override subarray(start?: number, end?: number): Uint8Array<ArrayBuffer> {
    this.created++;
    return new Uint8Array(this.buffer, this.byteOffset).subarray(start, end);
  }
}

Deno.test("a flood of blank lines creates no objects in LineSplitter", () => {
  for (const blank of ["\n", "\r\n", " \t\r\n"]) {
    const chunk = new CountingChunk(new TextEncoder().encode(blank.repeat(262_144)).buffer);
    const splitter = new LineSplitter(1024);
    assertEquals([...splitter.push(chunk)], []);
    assert(chunk.created <= 1, `created ${chunk.created} arrays for ${chunk.length} bytes`);
  }
});

Deno.test("a flood of blank lines does not block the event loop", async () => {
  const chunk = new Uint8Array(65_536).fill(0x0a);
  const end = new TextEncoder().encode(`${formatMessage(createMessage("end"))}\n`);
  let chunks = 0;
  let isTimeUp = false;
  using _turn = onNextTurn(() => isTimeUp = true);
  const readable = new ReadableStream<Uint8Array>({
    // The stream always has data, so reading it never waits for the event loop.
    pull(controller) {
      chunks++;
      controller.enqueue(isTimeUp || chunks > 1024 ? end : chunk);
      if (isTimeUp || chunks > 1024) controller.close();
    },
  });
  await using transport = streamTransport({ readable, writable: new WritableStream() });
  assertEquals((await transport.receive())?.id, "end");
  assert(chunks < 1024, "the event loop must run other tasks while 64 MiB of blank lines are read");
});

Deno.test("a flood of invalid lines that are skipped does not block the event loop", async () => {
  const flood = new TextEncoder().encode("x\n".repeat(5000));
  const end = new TextEncoder().encode(`${formatMessage(createMessage("end"))}\n`);
  let skipped = 0;
  let skippedAtTurn = Infinity;
  using _turn = onNextTurn(() => skippedAtTurn = skipped);
  const readable = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(flood);
      controller.enqueue(end);
      controller.close();
    },
  });
  await using transport = streamTransport({ readable, writable: new WritableStream() }, {
    onInvalid: () => skipped++,
  });
  assertEquals((await transport.receive())?.id, "end");
  assertEquals(skipped, 5000);
  assert(
    skippedAtTurn < 1000,
    `the next turn of the event loop began after ${skippedAtTurn} lines`,
  );
});
