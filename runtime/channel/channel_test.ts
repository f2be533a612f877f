import { assert, assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { AgentError } from "../shared/error.ts";
import { AgentChannel } from "./channel.ts";
import {
  type AgentMessage,
  createAgentMessage,
  createTypedMessage,
  MessageType,
} from "./message.ts";

function message(payload: number): AgentMessage {
  return createAgentMessage("did:example:a", "did:example:b", payload);
}

Deno.test("AgentChannel behaves like a bounded array for any sequence of operations", () => {
  const operations = fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.constant("send" as const) },
      { weight: 4, arbitrary: fc.constant("receive" as const) },
      { weight: 1, arbitrary: fc.constant("drain" as const) },
    ),
    { maxLength: 200 },
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), operations, (capacity, steps) => {
      const channel = new AgentChannel(capacity);
      let model: AgentMessage[] = [];
      for (const [index, step] of steps.entries()) {
        if (step === "send") {
          const next = message(index);
          const isTaken = channel.trySend(next);
          assertEquals(isTaken, model.length < capacity);
          if (isTaken) model.push(next);
        } else if (step === "receive") {
          assertStrictEquals(channel.receive(), model.shift());
        } else {
          assertEquals(channel.drain(), model);
          model = [];
        }
        assertEquals([channel.size, channel.isEmpty], [model.length, model.length === 0]);
        assertStrictEquals(channel.peek(), model[0]);
      }
    }),
    propertyRuns(200),
  );
});

Deno.test("AgentChannel.send() throws if the channel is full and drops no message", () => {
  const channel = new AgentChannel(2);
  channel.send(message(1));
  channel.send(message(2));
  const error = assertThrows(() => channel.send(message(3)), AgentError, "capacity 2");
  assertEquals(error.code, "channel_error");
  assertEquals(channel.drain().map(({ payload }) => payload), [1, 2]);
});

Deno.test("new AgentChannel() has a default capacity of 1000 and throws if the capacity is invalid", () => {
  assertEquals(new AgentChannel().capacity, 1000);
  for (const wrong of [0, -1, 1.5, NaN, Infinity]) {
    assertEquals(assertThrows(() => new AgentChannel(wrong), AgentError).code, "channel_error");
  }
});

Deno.test("AgentChannel.receiveAsync() waits for a message, and receivers are served in order", async () => {
  const channel = new AgentChannel();
  const waiting = Promise.all([channel.receiveAsync(), channel.receiveAsync()]);
  channel.send(message(1));
  channel.send(message(2));
  assertEquals((await waiting).map((received) => received?.payload), [1, 2]);
  assert(channel.isEmpty);
});

Deno.test("AgentChannel.sendAsync() waits for capacity, and senders are served in order", async () => {
  const channel = new AgentChannel(1);
  channel.send(message(1));
  const waiting = Promise.all([channel.sendAsync(message(2)), channel.sendAsync(message(3))]);
  assertEquals(channel.receive()?.payload, 1);
  assertEquals(channel.trySend(message(9)), false);
  assertEquals([channel.receive()?.payload, channel.receive()?.payload], [2, 3]);
  await waiting;
});

Deno.test("AgentChannel removes a waiting sender or receiver when its signal is aborted", async () => {
  const channel = new AgentChannel(1);
  const controller = new AbortController();
  const { signal } = controller;
  const receiving = channel.receiveAsync({ signal });
  controller.abort(new Error("enough"));
  await assertRejects(() => receiving, Error, "enough");
  await assertRejects(() => channel.receiveAsync({ signal }), Error, "enough");
  channel.send(message(1));
  assertEquals(channel.receive()?.payload, 1);

  channel.send(message(2));
  const second = new AbortController();
  const sending = channel.sendAsync(message(3), { signal: second.signal });
  second.abort(new Error("too late"));
  await assertRejects(() => sending, Error, "too late");
  assertEquals(channel.drain().map(({ payload }) => payload), [2]);
});

Deno.test("AgentChannel.close() ends all waits, rejects new messages and keeps queued messages", async () => {
  const channel = new AgentChannel(1);
  const receiving = channel.receiveAsync();
  channel.close();
  channel.close();
  assertEquals([await receiving, channel.isClosed], [undefined, true]);
  assertThrows(() => channel.send(message(1)), AgentError, "closed");
  await assertRejects(() => channel.sendAsync(message(1)), AgentError, "closed");

  await using full = new AgentChannel(1);
  full.send(message(1));
  const sending = full.sendAsync(message(2));
  full.close();
  await assertRejects(() => sending, AgentError, "closed");
  assertEquals([(await full.receiveAsync())?.payload, await full.receiveAsync()], [1, undefined]);
});

Deno.test("AgentChannel as an async iterable yields messages until the channel is closed", async () => {
  const channel = new AgentChannel();
  channel.send(message(1));
  channel.send(message(2));
  channel.close();
  const seen = [];
  for await (const { payload } of channel) seen.push(payload);
  assertEquals(seen, [1, 2]);
});

Deno.test("createTypedMessage() sets the members and throws if the type is unknown", () => {
  const typed = createTypedMessage("did:a", "did:b", { x: 1 }, MessageType.TaskResult, "c-1", {
    randomUUID: () => "id-1",
    now: () => 1_000,
  });
  assertEquals(typed, {
    id: "id-1",
    senderDid: "did:a",
    recipientDid: "did:b",
    payload: { x: 1 },
    timestamp: "1970-01-01T00:00:01.000Z",
    messageType: "task_result",
    correlationId: "c-1",
  });
  assert(Object.isFrozen(typed));
  assert(!("correlationId" in createTypedMessage("a", "b", null, MessageType.Request)));
  const error = assertThrows(
    () => createTypedMessage("a", "b", null, "gossip" as never),
    AgentError,
  );
  assertEquals(error.code, "channel_error");
});
