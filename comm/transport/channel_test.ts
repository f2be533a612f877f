import {
  assert,
  assertEquals,
  assertFalse,
  assertRejects,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { CommError } from "../shared/error.ts";
import { AgentCommMessage } from "../message/message.ts";
import { createMessage } from "../testdata/messages.ts";
import { createChannelPair } from "./channel.ts";

/** Waits until all pending promise jobs have run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let pending = true;
  promise.finally(() => pending = false).catch(() => {});
  await settle();
  return pending;
}

Deno.test("createChannelPair() delivers the same messages in order in both directions", async () => {
  const [ann, bob] = createChannelPair();
  const [first, second] = [createMessage(1), createMessage(2)];
  await ann.send(first);
  await ann.send(second);
  await bob.send(first);
  assertStrictEquals(await bob.receive(), first);
  assertStrictEquals(await bob.receive(), second);
  assertStrictEquals(await ann.receive(), first);
});

Deno.test("createChannelPair() delivers the members as they were when the message was sent", async () => {
  const [ann, bob] = createChannelPair();
  const like = Object.assign(Object.create(AgentCommMessage.prototype), createMessage(1));
  await ann.send(like);
  like.payload = "another";
  assertEquals((await bob.receive())?.payload, createMessage(1).payload);
  like.sender = "nobody";
  await assertRejects(() => ann.send(like), CommError, "sender");
});

Deno.test("receive() waits for a message", async () => {
  const [ann, bob] = createChannelPair();
  const received = bob.receive();
  assert(await isPending(received));
  await ann.send(createMessage(1));
  assertEquals((await received)?.id, "1");
});

Deno.test("receive() resolves concurrent calls in order, with one message each", async () => {
  const [ann, bob] = createChannelPair();
  const receivers = [bob.receive(), bob.receive(), bob.receive()];
  for (const id of [1, 2, 3]) await ann.send(createMessage(id));
  assertEquals((await Promise.all(receivers)).map((received) => received?.id), ["1", "2", "3"]);
});

Deno.test("send() waits in order while the queue is full", async () => {
  const [ann, bob] = createChannelPair({ capacity: 1 });
  await ann.send(createMessage(1));
  const second = ann.send(createMessage(2));
  const third = ann.send(createMessage(3));
  assert(await isPending(second));
  assertEquals((await bob.receive())?.id, "1");
  await second;
  assert(await isPending(third));
  assertEquals((await bob.receive())?.id, "2");
  await third;
  assertEquals((await bob.receive())?.id, "3");
});

Deno.test("send() rejects if the queue is full and overflow is error", async () => {
  const [ann, bob] = createChannelPair({ capacity: 2, overflow: "error" });
  await ann.send(createMessage(1));
  await ann.send(createMessage(2));
  const error = await assertRejects(() => ann.send(createMessage(3)), CommError);
  assert(error.is("capacity_exceeded"));
  assertEquals(error.details.capacity, 2);
  await bob.receive();
  await ann.send(createMessage(3));
});

Deno.test("receive() returns the queued messages after the sender has closed, and then undefined", async () => {
  const [ann, bob] = createChannelPair();
  await ann.send(createMessage(1));
  await ann.close();
  assertFalse(bob.isClosed);
  assertEquals((await bob.receive())?.id, "1");
  assert(bob.isClosed);
  assertEquals(await bob.receive(), undefined);
});

Deno.test("close() resolves pending receive() calls on both ends with undefined", async () => {
  const [ann, bob] = createChannelPair();
  const waiting = [ann.receive(), ann.receive(), bob.receive()];
  await ann.close();
  assertEquals(await Promise.all(waiting), [undefined, undefined, undefined]);
});

Deno.test("close() discards messages that this end has not received", async () => {
  const [ann, bob] = createChannelPair();
  await ann.send(createMessage(1));
  await bob.close();
  assertEquals(await bob.receive(), undefined);
  assertEquals(bob.tryReceive(), undefined);
});

Deno.test("send() rejects after either end has closed, even while waiting", async () => {
  for (const closing of ["own", "other"]) {
    const [ann, bob] = createChannelPair({ capacity: 1 });
    await ann.send(createMessage(1));
    const waiting = ann.send(createMessage(2));
    await (closing === "own" ? ann : bob).close();
    assertEquals((await assertRejects(() => waiting, CommError)).code, "transport_closed");
    const error = await assertRejects(() => ann.send(createMessage(3)), CommError);
    assertEquals(error.code, "transport_closed");
    await assertRejects(() => bob.send(createMessage(3)), CommError);
  }
});

Deno.test("close() can be called repeatedly and by await using", async () => {
  const [ann, bob] = createChannelPair();
  {
    await using end = ann;
    await end.send(createMessage(1));
  }
  await ann.close();
  assertEquals((await bob.receive())?.id, "1");
  assertEquals(await bob.receive(), undefined);
});

Deno.test("an aborted receive() removes no message", async () => {
  const [ann, bob] = createChannelPair();
  const controller = new AbortController();
  const aborted = bob.receive({ signal: controller.signal });
  const patient = bob.receive();
  controller.abort(new Error("enough"));
  await assertRejects(() => aborted, Error, "enough");
  await ann.send(createMessage(1));
  assertEquals((await patient)?.id, "1");
  await assertRejects(() => bob.receive({ signal: controller.signal }), Error, "enough");
});

Deno.test("an aborted send() sends no message", async () => {
  const [ann, bob] = createChannelPair({ capacity: 1 });
  await ann.send(createMessage(1));
  const controller = new AbortController();
  const aborted = ann.send(createMessage(2), { signal: controller.signal });
  const patient = ann.send(createMessage(3));
  controller.abort(new Error("enough"));
  await assertRejects(() => aborted, Error, "enough");
  assertEquals((await bob.receive())?.id, "1");
  await patient;
  assertEquals((await bob.receive())?.id, "3");
  await assertRejects(
    () => ann.send(createMessage(4), { signal: controller.signal }),
    Error,
    "enough",
  );
});

Deno.test("send() and receive() remove their listeners from the signal", async () => {
  const [ann, bob] = createChannelPair({ capacity: 1 });
  const controller = new AbortController();
  const { signal } = controller;
  const received = bob.receive({ signal });
  await ann.send(createMessage(1), { signal });
  assertEquals((await received)?.id, "1");
  controller.abort();
  await ann.send(createMessage(2));
  assertEquals(bob.tryReceive()?.id, "2");
});

Deno.test("iteration ends when the other end closes, and breaking out of it does not close the channel", async () => {
  const [ann, bob] = createChannelPair();
  for (const id of [1, 2, 3]) await ann.send(createMessage(id));
  const seen: string[] = [];
  for await (const received of bob) {
    seen.push(received.id);
    if (received.id === "1") break;
  }
  await ann.close();
  for await (const received of bob) seen.push(received.id);
  assertEquals(seen, ["1", "2", "3"]);
});

Deno.test("createChannelPair() rejects an invalid capacity and an invalid overflow", () => {
  for (const capacity of [0, -1, 1.5, NaN, Infinity]) {
    assertThrows(() => createChannelPair({ capacity }), RangeError);
  }
  const expected = '"overflow" must be "wait" or "error", got "drop"';
  // @ts-expect-error the queue never drops a message
  assertThrows(() => createChannelPair({ overflow: "drop" }), TypeError, expected);
});

Deno.test("createChannelPair() behaves like a queue under random operations", async () => {
  const commands = fc.array(fc.constantFrom("send", "receive"), { maxLength: 300 });
  await fc.assert(
    fc.asyncProperty(commands, fc.integer({ min: 1, max: 5 }), async (script, capacity) => {
      const [ann, bob] = createChannelPair({ capacity });
      const sent: Promise<void>[] = [];
      const received: Promise<AgentCommMessage | undefined>[] = [];
      for (const command of script) {
        if (command === "send") sent.push(ann.send(createMessage(sent.length)));
        else received.push(bob.receive());
        if (script.length % 3 === 0) await settle();
      }
      const delivered = Math.min(sent.length, received.length);
      const ids = (await Promise.all(received.slice(0, delivered))).map((each) => each?.id);
      assertEquals(ids, Array.from({ length: delivered }, (_, index) => String(index)));
      await bob.close();
      const rest = await Promise.all(received.slice(delivered));
      assert(rest.every((each) => each === undefined));
      const outcomes = await Promise.allSettled(sent);
      const accepted = Math.min(sent.length, received.length + capacity);
      assertEquals(outcomes.filter(({ status }) => status === "fulfilled").length, accepted);
    }),
    propertyRuns(200),
  );
});

Deno.test("trySend() returns false if the queue is full, and tryReceive() undefined if it is empty", async () => {
  const [ann, bob] = createChannelPair({ capacity: 1 });
  assertEquals(bob.tryReceive(), undefined);
  assert(ann.trySend(createMessage(1)));
  assertFalse(ann.trySend(createMessage(2)));
  assertEquals(bob.tryReceive()?.id, "1");
  assertEquals(bob.tryReceive(), undefined);
  const received = bob.receive();
  assert(ann.trySend(createMessage(3)));
  assertEquals((await received)?.id, "3");
});

Deno.test("trySend() returns false while a send() is waiting, and throws after either end has closed", async () => {
  const [ann, bob] = createChannelPair({ capacity: 1 });
  await ann.send(createMessage(1));
  const waiting = ann.send(createMessage(2));
  assertEquals(bob.tryReceive()?.id, "1");
  assertFalse(ann.trySend(createMessage(3)));
  await waiting;
  assertEquals(bob.tryReceive()?.id, "2");
  await bob.close();
  const error = assertThrows(() => ann.trySend(createMessage(4)), CommError);
  assertEquals(error.code, "transport_closed");
});

Deno.test("breaking out of a loop removes no further messages", async () => {
  const [ann, bob] = createChannelPair();
  for (const id of [1, 2, 3]) await ann.send(createMessage(id));
  const seen: string[] = [];
  for await (const message of bob) {
    seen.push(message.id);
    if (seen.length === 2) break;
  }
  assertEquals(seen, ["1", "2"]);
  assertEquals((await bob.receive())?.id, "3");
  const iterator = bob[Symbol.asyncIterator]();
  await iterator.return?.();
  await ann.send(createMessage(4));
  assertEquals(await iterator.next(), { done: true, value: undefined });
  assertEquals(bob.tryReceive()?.id, "4");
});
