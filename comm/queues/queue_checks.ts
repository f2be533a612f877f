/**
 * Checks that every message queue must pass.
 *
 * @module
 */

import { formatMessage } from "../message/message_json.ts";
import { abortable } from "@parley/internal/abortable";
import type { JsonValue } from "../shared/json.ts";
import { Reject } from "./message_queue.ts";
import {
  ANN,
  BEN,
  CAROL,
  consumeUntilDone,
  expectCode,
  expectEqual,
  messageOf,
  nextTurn,
  type QueueCheck,
  queueCheck,
  readPayloads,
  untilAborted,
  whileConsuming,
} from "./check_setup.ts";

/**
 * Checks for a `MessageQueue`. Each check is independent of the other checks and of the test
 * runner.
 *
 * @example Check the in-memory queue
 * ```ts
 * import { memoryQueue } from "@parley/comm/queues";
 * import { queueChecks } from "@parley/comm/testing";
 *
 * for (const check of queueChecks) {
 *   await check.run(memoryQueue);
 * }
 * ```
 */
export const queueChecks: readonly QueueCheck[] = [
  queueCheck("delivers messages sent before and during consumption unchanged", async (setup) => {
    const { queue, bob } = setup;
    const early = messageOf({ text: "\u0000 \u20ac \ud83d\ude00", number: 1e21 });
    const late = messageOf("late");
    const delivered: (readonly [string, number])[] = [];
    await queue.send(early);
    await consumeUntilDone(queue, bob, async ({ message, attempt, signal }, done) => {
      delivered.push([formatMessage(message), signal.aborted ? NaN : attempt]);
      if (delivered.length === 1) await queue.send(late);
      else done();
    });
    const expected = [early, late].map((message) => [formatMessage(message), 1]);
    expectEqual(delivered, expected, "the deliveries");
  }),
  queueCheck("stores a message once, even after its acknowledgment", async ({ queue, bob }) => {
    const message = messageOf("once");
    await Promise.all([queue.send(message), queue.send(message)]);
    await queue.send(message);
    await queue.send(messageOf("last"));
    const first = await readPayloads(queue, bob);
    expectEqual(first, ["once", "last"], "the payloads");
    await queue.send(message);
    await queue.send(messageOf("last"));
    expectEqual(await readPayloads(queue, bob), ["last"], "the payloads of the second consumer");
  }),
  queueCheck("stores messages with the same id from two senders", async ({ queue, bob }) => {
    const id = crypto.randomUUID();
    await queue.send(messageOf("first", { id, sender: ANN }));
    await queue.send(messageOf("last", { id, sender: BEN }));
    expectEqual(await readPayloads(queue, bob), ["first", "last"], "the payloads");
  }),
  queueCheck("stores the messages of concurrent calls", async ({ queue, bob }) => {
    const numbers = Array.from({ length: 250 }, (_, index) => index);
    await Promise.all(numbers.map((number) => queue.send(messageOf(number))));
    const received = new Set<JsonValue>();
    await consumeUntilDone(queue, bob, ({ message }, done) => {
      received.add(message.payload);
      if (received.size === numbers.length) done();
    }, 50);
    expectEqual(received.size, numbers.length, "the number of messages");
  }),
  queueCheck("delivers a message again after a failure", async ({ queue, bob }) => {
    const attempts: number[] = [];
    await queue.send(messageOf());
    await consumeUntilDone(queue, bob, ({ attempt }, done) => {
      attempts.push(attempt);
      if (attempts.length < 3) throw new Error("the attempt fails");
      done();
    });
    expectEqual(attempts, [1, 2, 3], "the attempts");
  }),
  queueCheck("does not deliver an acknowledged message again", async ({ queue, carol }) => {
    const to = { recipient: CAROL };
    for (const payload of ["first", "last"]) await queue.send(messageOf(payload, to));
    await readPayloads(queue, carol);
    await queue.send(messageOf("last", to));
    expectEqual(await readPayloads(queue, carol), ["last"], "the payloads of the second consumer");
  }),
  queueCheck("moves a rejected message to the dead letters", async ({ queue, bob }) => {
    const message = messageOf("poison");
    await queue.send(message);
    await queue.send(messageOf("last"));
    let deliveries = 0;
    await consumeUntilDone(queue, bob, ({ message }, done) => {
      if (message.payload === "last") return done();
      deliveries++;
      throw new Reject("not a task");
    });
    const letters = await queue.deadLetters(bob);
    expectEqual(
      letters.map(({ json, reason, attempts }) => [json, reason, attempts]),
      [[formatMessage(message), "not a task", 1]],
      "the dead letters",
    );
    expectEqual(letters[0]?.message?.id, message.id, "the id of the dead letter");
    expectEqual(deliveries, 1, "the number of deliveries");
  }),
  queueCheck("stops delivering after the maximum number of attempts", async ({ queue, bob }) => {
    const attempts: number[] = [];
    await queue.send(messageOf("poison"));
    await whileConsuming(queue, bob, ({ attempt }) => {
      attempts.push(attempt);
      throw new Error(`attempt ${attempt} fails`);
    }, async () => {
      while ((await queue.deadLetters(bob)).length === 0) await nextTurn();
    });
    const [letter] = await queue.deadLetters(bob);
    expectEqual([letter?.reason, letter?.attempts], ["attempt 2 fails", 2], "the dead letter");
    expectEqual(attempts, [1, 2], "the attempts");
  }, { maxAttempts: 2 }),
  queueCheck("redrives dead letters, the oldest first, up to a limit", async ({ queue, bob }) => {
    for (const payload of ["a", "b", "last"]) await queue.send(messageOf(payload));
    await consumeUntilDone(queue, bob, ({ message }, done) => {
      if (message.payload !== "last") throw new Reject("not now");
      done();
    });
    const limited = await queue.deadLetters(bob, { limit: 1 });
    expectEqual(limited.map(({ message }) => message?.payload), ["a"], "the oldest dead letter");
    expectEqual(await queue.redrive(bob, { limit: 1 }), 1, "the number of redriven messages");
    const left = await queue.deadLetters(bob);
    expectEqual(left.map(({ message }) => message?.payload), ["b"], "the dead letters");
    expectEqual(await queue.redrive(bob), 1, "the number of redriven messages");
    expectEqual((await queue.deadLetters(bob)).length, 0, "the number of dead letters");
    const delivered: unknown[] = [];
    await consumeUntilDone(queue, bob, ({ message, attempt }, done) => {
      delivered.push([message.payload, attempt]);
      if (delivered.length === 2) done();
    });
    expectEqual(delivered, [["a", 1], ["b", 1]], "the deliveries");
  }),
  queueCheck("runs at most `concurrency` handlers at a time", async ({ queue, bob }) => {
    for (const payload of [1, 2, 3, 4]) await queue.send(messageOf(payload));
    let [active, most, count] = [0, 0, 0];
    const full = Promise.withResolvers<void>();
    await consumeUntilDone(queue, bob, async ({ signal }, done) => {
      most = Math.max(most, ++active);
      if (active === 2) full.resolve();
      await abortable(full.promise, signal);
      await nextTurn();
      active--;
      if (++count === 4) done();
    }, 2);
    expectEqual(most, 2, "the number of concurrent handlers");
  }),
  queueCheck("delivers only the messages of the inbox", async ({ queue, bob, carol }) => {
    await queue.send(messageOf("for Carol", { recipient: CAROL }));
    await queue.send(messageOf("last", { recipient: CAROL }));
    await queue.send(messageOf("last"));
    expectEqual(await readPayloads(queue, bob), ["last"], "the payloads for Bob");
    const payloads = await readPayloads(queue, carol);
    expectEqual(payloads, ["for Carol", "last"], "the payloads for Carol");
  }),
  queueCheck("keeps each sender's order in an ordered inbox", async ({ queue, carol }) => {
    const to = { recipient: CAROL };
    const sends: Promise<void>[] = [];
    for (const number of [0, 1, 2, 3, 4]) {
      for (const sender of [ANN, BEN]) sends.push(queue.send(messageOf(number, { ...to, sender })));
    }
    await Promise.all(sends);
    const received = new Map<string, JsonValue[]>([[ANN, []], [BEN, []]]);
    const active = new Set<string>();
    const together = Promise.withResolvers<void>();
    let overlaps = 0;
    await consumeUntilDone(queue, carol, async ({ message, attempt, signal }, done) => {
      const { sender, payload } = message;
      if (active.has(sender)) overlaps++;
      active.add(sender);
      if (active.size === 2) together.resolve();
      // Messages from one sender do not wait for messages from the other sender.
      await abortable(together.promise, signal);
      await nextTurn();
      active.delete(sender);
      if (payload === 2 && attempt === 1) throw new Error("the attempt fails");
      received.get(sender)?.push(payload);
      if ([...received.values()].every(({ length }) => length === 5)) done();
    }, 4);
    expectEqual(overlaps, 0, "the number of concurrent messages from one sender");
    expectEqual([...received.values()], [[0, 1, 2, 3, 4], [0, 1, 2, 3, 4]], "the payloads");
  }),
  queueCheck("continues after a rejected message in an ordered inbox", async (setup) => {
    const { queue, carol } = setup;
    for (const payload of ["poison", "next", "last"]) {
      await queue.send(messageOf(payload, { recipient: CAROL }));
    }
    const payloads: JsonValue[] = [];
    await consumeUntilDone(queue, carol, ({ message: { payload } }, done) => {
      payloads.push(payload);
      if (payload === "poison") throw new Reject("poison");
      if (payload === "last") done();
    });
    expectEqual(payloads, ["poison", "next", "last"], "the payloads");
    expectEqual(await queue.redrive(carol), 1, "the number of redriven messages");
    await queue.send(messageOf("last", { recipient: CAROL }));
    expectEqual(await readPayloads(queue, carol), ["poison", "last"], "the redriven payloads");
  }),
  queueCheck("a stopped consumer returns its messages to the queue", async ({ queue, bob }) => {
    await queue.send(messageOf("last"));
    const stopping = new AbortController();
    const { signal } = stopping;
    await queue.consume(bob, async (delivery) => {
      stopping.abort();
      await untilAborted(delivery.signal);
    }, { signal });
    expectEqual(await readPayloads(queue, bob), ["last"], "the payloads of the second consumer");
  }),
  queueCheck("the handler of a stopped consumer still acknowledges", async ({ queue, carol }) => {
    await queue.send(messageOf("first", { recipient: CAROL }));
    let ended = false;
    await consumeUntilDone(queue, carol, async (_, done) => {
      done();
      await nextTurn();
      ended = true;
    });
    expectEqual(ended, true, "whether consume() waits for the handler");
    await queue.send(messageOf("last", { recipient: CAROL }));
    expectEqual(await readPayloads(queue, carol), ["last"], "the payloads of the second consumer");
  }),
  queueCheck("aborts a handler that exceeds its time limit", async ({ queue, bob }) => {
    await queue.send(messageOf());
    const attempts: number[] = [];
    await consumeUntilDone(queue, bob, async ({ attempt, signal }, done) => {
      attempts.push(attempt);
      if (attempt > 1) done();
      else await untilAborted(signal);
    });
    expectEqual(attempts, [1, 2], "the attempts");
  }, { handlerTimeoutMs: 100 }),
  queueCheck(
    "a stopped consumer does not wait for a handler that exceeds its time limit",
    async (setup) => {
      const { queue, bob } = setup;
      await queue.send(messageOf("last"));
      await consumeUntilDone(queue, bob, (_, done) => {
        done();
        return new Promise(() => {});
      });
      expectEqual(await readPayloads(queue, bob), ["last"], "the payloads of the second consumer");
    },
    { handlerTimeoutMs: 100 },
  ),

  queueCheck("rejects a message that exceeds the maximum size", async ({ queue, bob }) => {
    await expectCode(queue.send(messageOf("x".repeat(2000))), "message_too_large");
    await queue.send(messageOf("last"));
    expectEqual(await readPayloads(queue, bob), ["last"], "the payloads");
  }, { maxMessageBytes: 2000 }),
  queueCheck("does not store a message if the signal is aborted", async ({ queue, bob }) => {
    const signal = AbortSignal.abort(new Error("the caller aborted the send"));
    const error = await queue.send(messageOf("aborted"), { signal }).catch((error) => error);
    expectEqual(String(error), "Error: the caller aborted the send", "the error");
    await queue.send(messageOf("last"));
    expectEqual(await readPayloads(queue, bob), ["last"], "the payloads");
  }),
  queueCheck("close() stops consumers, and later calls reject", async ({ queue, bob }) => {
    const started = Promise.withResolvers<void>();
    await queue.send(messageOf());
    const consuming = queue.consume(bob, async ({ signal }) => {
      started.resolve();
      await untilAborted(signal);
    });
    await started.promise;
    await Promise.all([queue.close(), queue.close()]);
    await consuming;
    await expectCode(queue.send(messageOf()), "transport_closed");
    await expectCode(queue.consume(bob, () => {}), "transport_closed");
    await expectCode(queue.deadLetters(bob), "transport_closed");
    await expectCode(queue.redrive(bob), "transport_closed");
  }),
];
