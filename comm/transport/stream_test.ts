import { assert, assertEquals, assertFalse, assertRejects, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { CommError } from "../shared/error.ts";
import { createMessage } from "../testdata/messages.ts";
import { formatMessage } from "../message/message_json.ts";
import { streamTransport, type StreamTransportOptions } from "./stream.ts";
import type { MessageTransport } from "./transport.ts";

function createPair(options?: StreamTransportOptions): [MessageTransport, MessageTransport] {
  const there = new TransformStream<Uint8Array, Uint8Array>();
  const back = new TransformStream<Uint8Array, Uint8Array>();
  return [
    streamTransport({ readable: back.readable, writable: there.writable }, options),
    streamTransport({ readable: there.readable, writable: back.writable }, options),
  ];
}

/** Creates a transport that reads the given chunks, and records the written bytes. */
function readChunks(
  chunks: readonly (string | Uint8Array)[],
  options?: StreamTransportOptions,
): MessageTransport {
  const encoder = new TextEncoder();
  const readable = ReadableStream.from(
    chunks.map((chunk) => typeof chunk === "string" ? encoder.encode(chunk) : chunk),
  );
  return streamTransport({ readable, writable: new WritableStream() }, options);
}

async function codeOf(work: () => Promise<unknown>): Promise<string> {
  return (await assertRejects(work, CommError)).code;
}

Deno.test("streamTransport() delivers messages in order in both directions", async () => {
  const [ann, bob] = createPair();
  for (let id = 0; id < 50; id++) await ann.send(createMessage(id));
  await bob.send(createMessage("back"));
  for (let id = 0; id < 50; id++) assertEquals((await bob.receive())?.id, String(id));
  assertEquals((await ann.receive())?.id, "back");
  await Promise.all([ann.close(), bob.close()]);
});

Deno.test("streamTransport() delivers all messages sent before close(), and receive() then returns undefined", async () => {
  const [ann, bob] = createPair();
  for (const id of [1, 2, 3]) await ann.send(createMessage(id));
  const closing = ann.close();
  const ids: string[] = [];
  for await (const received of bob) ids.push(received.id);
  assertEquals(ids, ["1", "2", "3"]);
  await Promise.all([closing, bob.close()]);
});

Deno.test("streamTransport() rejects send() after close() and resolves pending receive() calls", async () => {
  const [ann, bob] = createPair();
  const waiting = ann.receive();
  await Promise.all([ann.close(), bob.close()]);
  assertEquals(await waiting, undefined);
  assertEquals(await codeOf(() => ann.send(createMessage(1))), "transport_closed");
  assertEquals(await ann.receive(), undefined);
  await ann.close();
});

Deno.test("streamTransport() makes send() wait if the other end does not read", async () => {
  const [ann, bob] = createPair({ capacity: 2 });
  const accepted: number[] = [];
  const sending = (async () => {
    for (let id = 0; id < 20; id++) {
      await ann.send(createMessage(id));
      accepted.push(id);
    }
  })();
  for (let turn = 0; turn < 200; turn++) await Promise.resolve();
  assert(accepted.length < 12, `${accepted.length} accepted`);
  for (let id = 0; id < 20; id++) assertEquals((await bob.receive())?.id, String(id));
  await sending;
  await Promise.all([ann.close(), bob.close()]);
});

Deno.test("streamTransport() rejects send() if the queue is full and overflow is error", async () => {
  const writable = new WritableStream({ write: () => new Promise<void>(() => {}) });
  const transport = streamTransport({ readable: new ReadableStream(), writable }, {
    capacity: 1,
    overflow: "error",
    closeTimeoutMs: 1,
  });
  const codes: string[] = [];
  for (let id = 0; id < 5; id++) {
    await transport.send(createMessage(id)).catch((error) => codes.push(error.code));
  }
  assert(codes.includes("capacity_exceeded"));
  await transport.close();
});

Deno.test("streamTransport() closes within the timeout if the other end never reads", async () => {
  const writable = new WritableStream({ write: () => new Promise<void>(() => {}) });
  const transport = streamTransport({ readable: new ReadableStream(), writable }, {
    closeTimeoutMs: 10,
  });
  await transport.send(createMessage(1));
  await transport.send(createMessage(2));
  await transport.close();
});

Deno.test("streamTransport() reports an invalid line and continues", async () => {
  const good = formatMessage(createMessage("good"));
  const transport = readChunks(["nonsense\n", `{"id":1,"id":2}\r\n\n \t\r\n${good}\n`, `${good}`]);
  assertEquals(await codeOf(() => transport.receive()), "deserialization_failed");
  assertEquals(await codeOf(() => transport.receive()), "duplicate_member");
  assertEquals((await transport.receive())?.id, "good");
  assertEquals((await transport.receive())?.id, "good");
  assertEquals(await transport.receive(), undefined);
  await transport.close();
});

Deno.test("streamTransport() reports a truncated last line", async () => {
  const transport = readChunks([formatMessage(createMessage(1)).slice(0, -5)]);
  assertEquals(await codeOf(() => transport.receive()), "deserialization_failed");
  assertEquals(await transport.receive(), undefined);
  await transport.close();
});

Deno.test("streamTransport() limits message sizes in both directions", async () => {
  const long = createMessage("long", "x".repeat(1000));
  const short = createMessage("short");
  const maxMessageBytes = formatMessage(short).length;
  const transport = readChunks([`${formatMessage(long)}\n${formatMessage(short)}\n`], {
    maxMessageBytes,
  });
  assertEquals(await codeOf(() => transport.receive()), "message_too_large");
  assertEquals((await transport.receive())?.id, "short");
  assertEquals(await codeOf(() => transport.send(long)), "message_too_large");
  await transport.send(short);
  await transport.close();
});

Deno.test("streamTransport() can send after the other end has closed its stream", async () => {
  const written: string[] = [];
  const decoder = new TextDecoder();
  const transport = streamTransport({
    readable: ReadableStream.from([]),
    writable: new WritableStream({
      write: (chunk) => {
        written.push(decoder.decode(chunk));
      },
    }),
  });
  assertEquals(await transport.receive(), undefined);
  const sent = createMessage(1);
  await transport.send(sent);
  await transport.close();
  assertEquals(written, [`${formatMessage(sent)}\n`]);
});

Deno.test("streamTransport() reports a stream error with its cause", async () => {
  const cause = new Error("reset by peer");
  const transport = streamTransport({
    readable: new ReadableStream({ pull: () => Promise.reject(cause) }),
    writable: new WritableStream({ write: () => Promise.reject(cause) }),
  });
  const error = await assertRejects(() => transport.receive(), CommError);
  assertEquals([error.code, error.cause], ["receive_failed", cause]);
  await transport.send(createMessage(1));
  let code = "";
  while (code === "") {
    await Promise.resolve();
    await transport.send(createMessage(2)).catch((failure) => code = failure.code);
  }
  assertEquals(code, "send_failed");
  await transport.close();
  assertEquals(await transport.receive(), undefined);
});

Deno.test("streamTransport() rejects if the signal is aborted", async () => {
  const [ann, bob] = createPair();
  const controller = new AbortController();
  const waiting = bob.receive({ signal: controller.signal });
  controller.abort(new Error("enough"));
  await assertRejects(() => waiting, Error, "enough");
  await assertRejects(
    () => ann.send(createMessage(1), { signal: controller.signal }),
    Error,
    "enough",
  );
  await ann.send(createMessage(2));
  assertEquals((await bob.receive())?.id, "2");
  await Promise.all([ann.close(), bob.close()]);
});

Deno.test("streamTransport() rejects invalid limits and locked streams", () => {
  const create = (options: StreamTransportOptions) => () =>
    streamTransport({ readable: new ReadableStream(), writable: new WritableStream() }, options);
  assertThrows(create({ capacity: 0 }), RangeError);
  assertThrows(create({ maxMessageBytes: 0 }), RangeError);
  assertThrows(create({ maxQueuedBytes: 0 }), RangeError);
  assertThrows(create({ onInvalid: JSON.parse("null") }), TypeError, '"onInvalid"');
  assertThrows(create({ overflow: JSON.parse('"drop"') }), TypeError, '"overflow"');
  assertThrows(create({ closeTimeoutMs: NaN }), RangeError);
  const readable = new ReadableStream();
  readable.getReader();
  assertThrows(() => streamTransport({ readable, writable: new WritableStream() }), TypeError);
});

Deno.test("streamTransport() returns a message or an error for each line of random bytes", async () => {
  const chunk = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom("\n", "{", '"', formatMessage(createMessage(1))).map((text) =>
      new TextEncoder().encode(text)
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(chunk, { maxLength: 8 }), async (chunks) => {
      const transport = readChunks(chunks);
      for (let open = true; open;) {
        try {
          open = await transport.receive() !== undefined;
        } catch (error) {
          assert(error instanceof CommError);
        }
      }
      await transport.close();
    }),
    propertyRuns(200),
  );
});

Deno.test("streamTransport() rejects streams of Node.js and names the required web streams", () => {
  const create = (streams: unknown) => () => Reflect.apply(streamTransport, undefined, [streams]);
  const { readable } = new TransformStream();
  const message = '"streams.readable" must be a ReadableStream of bytes';
  // `readable` and `writable` of a Node.js stream are booleans.
  assertThrows(create({ readable: true, writable: true }), TypeError, `${message} (Readable.toWeb`);
  assertThrows(create({}), TypeError, message);
  assertThrows(create(undefined), TypeError, message);
  assertThrows(create({ readable, writable: true }), TypeError, "Writable.toWeb()");
  assertFalse(readable.locked);
});

Deno.test("streamTransport() rejects a locked stream and does not lock the other stream", () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  writable.getWriter();
  assertThrows(() => streamTransport({ readable, writable }), TypeError);
  assertFalse(readable.locked);
});

Deno.test("streamTransport() skips invalid lines if onInvalid is set", async () => {
  const good = formatMessage(createMessage("x"));
  const errors: string[] = [];
  for (const onInvalid of ["skip", (error: CommError) => void errors.push(error.code)] as const) {
    const lines = ["nonsense", good, `"${"x".repeat(500)}"`, "{}", good].join("\n");
    const transport = readChunks([lines], { onInvalid, maxMessageBytes: 400 });
    const ids: string[] = [];
    for await (const { id } of transport) ids.push(id);
    assertEquals(ids, ["x", "x"]);
    await transport.close();
  }
  assertEquals(errors, ["deserialization_failed", "message_too_large", "invalid_message"]);
});

Deno.test("streamTransport() reads at most maxQueuedBytes bytes that were not received", async () => {
  const line = `${formatMessage(createMessage(1, "x".repeat(1000)))}\n`;
  let chunks = 0;
  const readable = new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.enqueue(new TextEncoder().encode(line));
      if (++chunks === 50) controller.close();
    },
  }, { highWaterMark: 0 });
  const writable = new WritableStream();
  await using transport = streamTransport({ readable, writable }, {
    maxQueuedBytes: 3 * line.length,
  });
  await transport.receive();
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
  // One message was received, three are queued, and one waits for space in the queue.
  assertEquals(chunks, 5);
  let received = 1;
  for await (const _message of transport) received++;
  assertEquals(received, 50);
});

Deno.test("streamTransport() reports a stream that does not contain bytes", async () => {
  const texts: ReadableStream = ReadableStream.from(["text"]);
  await using transport = streamTransport({ readable: texts, writable: new WritableStream() });
  const error = await assertRejects(() => transport.receive(), CommError);
  assertEquals(error.code, "receive_failed");
  assert(error.cause instanceof TypeError);
});
