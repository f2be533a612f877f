import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createMessage } from "../testdata/messages.ts";
import { CommError } from "../shared/error.ts";
import { memoryQueue } from "./memory_queue.ts";
import type { MessageQueue } from "./message_queue.ts";
import { toTransport } from "./to_transport.ts";

function open(): MessageQueue {
  return memoryQueue({ inboxOf: () => "bob", onError: () => {}, retryDelayMs: 1 });
}

Deno.test("toTransport() sends and receives messages in order", async () => {
  await using queue = open();
  await using transport = toTransport(queue, { inbox: "bob", capacity: 1 });
  for (const id of [1, 2, 3]) await transport.send(createMessage(id));
  const ids: string[] = [];
  for await (const { id } of transport) {
    ids.push(id);
    if (ids.length === 3) break;
  }
  assertEquals(ids, ["1", "2", "3"]);
});

Deno.test("toTransport() leaves messages that are not received in the queue", async () => {
  await using queue = open();
  const first = toTransport(queue, { inbox: "bob" });
  for (const id of [1, 2, 3]) await first.send(createMessage(id));
  assertEquals((await first.receive())?.id, "1");
  await first.close();
  await first.close();
  await using second = toTransport(queue, { inbox: "bob" });
  const ids = [(await second.receive())?.id, (await second.receive())?.id];
  assertEquals(ids.sort(), ["2", "3"]);
});

Deno.test("toTransport() delivers a message again that was not received in time", async () => {
  const timedOut = Promise.withResolvers<unknown>();
  await using queue = memoryQueue({
    inboxOf: () => "bob",
    onError: timedOut.resolve,
    retryDelayMs: 1,
    handlerTimeoutMs: 20,
  });
  await using transport = toTransport(queue, { inbox: "bob", capacity: 1 });
  await transport.send(createMessage(1));
  assertEquals((await transport.receive())?.id, "1");
  await transport.send(createMessage(2));
  await timedOut.promise;
  assertEquals((await transport.receive())?.id, "2");
});

Deno.test("close() of a transport over a queue settles receive() and rejects send()", async () => {
  await using queue = open();
  const transport = toTransport(queue, { inbox: "bob" });
  const receiving = transport.receive();
  await transport.close();
  assertEquals(await receiving, undefined);
  assertEquals(await transport.receive(), undefined);
  const error = await assertRejects(() => transport.send(createMessage(1)), CommError);
  assertEquals(error.code, "transport_closed");
});

Deno.test("receive() returns undefined after the queue is closed, and rejects if it failed", async () => {
  const queue = open();
  await using transport = toTransport(queue, { inbox: "bob" });
  const receiving = transport.receive();
  await queue.close();
  assertEquals(await receiving, undefined);

  await using inner = open();
  const failing = toTransport({
    ...inner,
    send: (message) => inner.send(message),
    consume: () => Promise.reject(new Error("lost")),
  }, { inbox: "bob" });
  const error = await assertRejects(() => failing.receive(), CommError);
  assertEquals([error.code, String(error.cause)], ["receive_failed", "Error: lost"]);
});

Deno.test("receive() of a transport over a queue stops waiting if its signal aborts", async () => {
  await using queue = open();
  await using transport = toTransport(queue, { inbox: "bob" });
  const controller = new AbortController();
  const receiving = transport.receive({ signal: controller.signal });
  controller.abort(new Error("enough"));
  await assertRejects(() => receiving, Error, "enough");
  await transport.send(createMessage(1));
  assertEquals((await transport.receive())?.id, "1");
});

Deno.test("toTransport() rejects invalid options", async () => {
  await using queue = open();
  assertThrows(() => toTransport(queue, { inbox: "a b" }), TypeError, '"inbox"');
  assertThrows(() => toTransport(queue, { inbox: "bob", capacity: 0 }), RangeError, '"capacity"');
  // @ts-expect-error a queue is required
  assertThrows(() => toTransport({}, { inbox: "bob" }), TypeError, '"queue"');
});

Deno.test("toTransport() does not receive a message whose delivery is already aborted", async () => {
  const reason = new Error("delivered to another consumer");
  const outcomes: unknown[] = [];
  await using inner = open();
  await using transport = toTransport({
    ...inner,
    send: (message) => inner.send(message),
    consume: async (_inbox, handler) => {
      for (const signal of [AbortSignal.abort(reason), new AbortController().signal]) {
        const message = createMessage(outcomes.length + 1);
        const delivery = Promise.resolve(handler({ message, attempt: 1, signal }));
        outcomes.push(await delivery.then(() => "received", (error) => error));
      }
    },
  }, { inbox: "bob" });
  assertEquals((await transport.receive())?.id, "2");
  assertEquals(await transport.receive(), undefined);
  assertEquals(outcomes, [reason, "received"]);
});

Deno.test("send() of a transport over a queue rejects if the signal aborts while the queue ignores it", async () => {
  const queue: MessageQueue = {
    send: () => new Promise<never>(() => {}),
    consume: () => Promise.resolve(),
    deadLetters: () => Promise.resolve([]),
    redrive: () => Promise.resolve(0),
    close: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const transport = toTransport(queue, { inbox: "bob" });
  const stopping = new AbortController();
  const sending = assertRejects(
    () => transport.send(createMessage(1), { signal: stopping.signal }),
    Error,
  );
  stopping.abort(new Error("enough"));
  assertEquals((await sending).message, "enough");
});
