import { assertRejects } from "@std/assert";
import { AgentCommMessage } from "../message/message.ts";
import { memoryQueue } from "./memory_queue.ts";
import {
  type ConsumeOptions,
  type MessageQueue,
  type QueueDelivery,
  type QueueHandler,
  Reject,
} from "./message_queue.ts";
import { nextTurn } from "./check_setup.ts";
import { queueChecks } from "./queue_checks.ts";
import type { QueueOptions } from "./queue_options.ts";

/** Replaces some methods of a queue and keeps the rest. */
function replace(queue: MessageQueue, methods: Partial<MessageQueue>): MessageQueue {
  return {
    send: (message, options) => queue.send(message, options),
    consume: (inbox, handler, options) => queue.consume(inbox, handler, options),
    deadLetters: (inbox, options) => queue.deadLetters(inbox, options),
    redrive: (inbox, options) => queue.redrive(inbox, options),
    close: () => queue.close(),
    [Symbol.asyncDispose]: () => queue.close(),
    ...methods,
  };
}

/** Wraps the handlers of an in-memory queue. */
function withHandler(
  wrap: (handler: QueueHandler, options: ConsumeOptions) => QueueHandler,
): (options: QueueOptions) => MessageQueue {
  return (options) => {
    const queue = memoryQueue(options);
    return replace(queue, {
      consume: (inbox, handler, consumeOptions = {}) =>
        queue.consume(inbox, wrap(handler, consumeOptions), consumeOptions),
    });
  };
}

/**
 * Creates a queue that stores messages under ids that differ from those that the handler receives.
 */
function withoutDeduplication(options: QueueOptions): MessageQueue {
  const queue = memoryQueue(options);
  const originals = new Map<string, AgentCommMessage>();
  return replace(queue, {
    send(message, sendOptions) {
      const copy = new AgentCommMessage({ ...message, id: crypto.randomUUID() });
      originals.set(copy.id, message);
      return queue.send(copy, sendOptions);
    },
    consume: (inbox, handler, consumeOptions) =>
      queue.consume(inbox, (delivery) => {
        const { message } = delivery;
        return handler({ ...delivery, message: originals.get(message.id) ?? message });
      }, consumeOptions),
  });
}

/** Creates a queue that ignores the sender when it searches for a stored message. */
function withGlobalIds(options: QueueOptions): MessageQueue {
  const queue = memoryQueue(options);
  const ids = new Set<string>();
  return replace(queue, {
    async send(message, sendOptions) {
      if (!ids.has(message.id)) await queue.send(message, sendOptions);
      ids.add(message.id);
    },
  });
}

/** Creates a queue that redelivers one consumer's messages to the next consumer. */
function withRedelivery(options: QueueOptions): MessageQueue {
  const queue = memoryQueue(options);
  const delivered: QueueDelivery[] = [];
  return replace(queue, {
    async consume(inbox, handler, consumeOptions) {
      for (const delivery of delivered.splice(0)) await handler(delivery);
      await queue.consume(inbox, async (delivery) => {
        await handler(delivery);
        delivered.push(delivery);
      }, consumeOptions);
    },
  });
}

/** Creates a queue that does not deliver a sender's messages after a rejected message. */
const blocking = withHandler((handler) => {
  const blocked = new Set<string>();
  return async (delivery) => {
    const { sender } = delivery.message;
    if (blocked.has(sender)) throw new Error("blocked");
    try {
      await handler(delivery);
    } catch (error) {
      if (error instanceof Reject) blocked.add(sender);
      throw error;
    }
  };
});

function withConsume(change: (options: ConsumeOptions) => ConsumeOptions) {
  return (options: QueueOptions): MessageQueue => {
    const queue = memoryQueue(options);
    return replace(queue, {
      consume: (inbox, handler, consumeOptions = {}) =>
        queue.consume(inbox, handler, change(consumeOptions)),
    });
  };
}

function withQueueOptions(change: Partial<QueueOptions>) {
  return (options: QueueOptions): MessageQueue => memoryQueue({ ...options, ...change });
}

const FAULTS: readonly {
  readonly fault: string;
  readonly check: string;
  readonly open: (options: QueueOptions) => MessageQueue;
}[] = [
  {
    fault: "changes the timestamp of messages",
    check: "delivers messages sent before and during consumption unchanged",
    open(options) {
      const queue = memoryQueue(options);
      return replace(queue, {
        send: (message, sendOptions) =>
          queue.send(
            new AgentCommMessage({ ...message, timestamp: "2026-01-01T00:00:00Z" }),
            sendOptions,
          ),
      });
    },
  },
  {
    fault: "stores a message for each call",
    check: "stores a message once, even after its acknowledgment",
    open: withoutDeduplication,
  },
  {
    fault: "identifies messages only by their id",
    check: "stores messages with the same id from two senders",
    open: withGlobalIds,
  },
  {
    fault: "stores only one of two concurrent messages",
    check: "stores the messages of concurrent calls",
    open(options) {
      const queue = memoryQueue(options);
      let isSending = false;
      return replace(queue, {
        async send(message, sendOptions) {
          if (isSending) return;
          isSending = true;
          await queue.send(message, sendOptions);
          isSending = false;
        },
      });
    },
  },
  {
    fault: "acknowledges a message whose handler fails",
    check: "delivers a message again after a failure",
    open: withHandler((handler) => async (delivery) => {
      try {
        await handler(delivery);
      } catch {
        // The fault under test.
      }
    }),
  },
  {
    fault: "delivers acknowledged messages again",
    check: "does not deliver an acknowledged message again",
    open: withRedelivery,
  },
  {
    fault: "retries rejected messages",
    check: "moves a rejected message to the dead letters",
    open: withHandler((handler) => async (delivery) => {
      try {
        await handler(delivery);
      } catch (error) {
        throw new Error("failed", { cause: error });
      }
    }),
  },
  {
    fault: "never stops delivering a failing message",
    check: "stops delivering after the maximum number of attempts",
    open: withQueueOptions({ maxAttempts: 1_000_000 }),
  },
  {
    fault: "does not move redriven messages",
    check: "redrives dead letters, the oldest first, up to a limit",
    open: (options) => replace(memoryQueue(options), { redrive: () => Promise.resolve(1) }),
  },
  {
    fault: "runs more than `concurrency` handlers at a time",
    check: "runs at most `concurrency` handlers at a time",
    open: withConsume(({ concurrency = 8, ...options }) => ({
      ...options,
      concurrency: concurrency + 1,
    })),
  },
  {
    fault: "has one inbox for all recipients",
    check: "delivers only the messages of the inbox",
    open(options) {
      const queue = memoryQueue({ ...options, inboxOf: () => "all" });
      return replace(queue, {
        consume: (_inbox, handler, consumeOptions) => queue.consume("all", handler, consumeOptions),
      });
    },
  },
  {
    fault: "ignores the order of messages",
    check: "keeps each sender's order in an ordered inbox",
    open: withQueueOptions({ orderedInboxes: [] }),
  },
  {
    fault: "delivers the messages of all senders sequentially",
    check: "keeps each sender's order in an ordered inbox",
    open: withConsume((options) => ({ ...options, concurrency: 1 })),
  },
  {
    fault: "holds back the messages after a rejected message",
    check: "continues after a rejected message in an ordered inbox",
    open: blocking,
  },
  {
    fault: "acknowledges the messages of a stopped consumer",
    check: "a stopped consumer returns its messages to the queue",
    open: withHandler((handler, { signal }) => async (delivery) => {
      try {
        await handler(delivery);
      } catch (error) {
        if (signal?.aborted !== true) throw error;
      }
    }),
  },
  {
    fault: "discards acknowledgments after the consumer is stopped",
    check: "the handler of a stopped consumer still acknowledges",
    open: withHandler((handler, { signal }) => async (delivery) => {
      await handler(delivery);
      signal?.throwIfAborted();
    }),
  },
  {
    fault: "does not abort slow handlers",
    check: "aborts a handler that exceeds its time limit",
    open: withQueueOptions({ handlerTimeoutMs: 1_000_000 }),
  },
  {
    fault: "acknowledges the message of a handler that does not return",
    check: "a stopped consumer does not wait for a handler that exceeds its time limit",
    open: withHandler((handler) => async (delivery) => {
      await Promise.race([handler(delivery), nextTurn()]);
    }),
  },
  {
    fault: "stores messages of any size",
    check: "rejects a message that exceeds the maximum size",
    open: withQueueOptions({ maxMessageBytes: 1_000_000 }),
  },
  {
    fault: "ignores the signal of send()",
    check: "does not store a message if the signal is aborted",
    open(options) {
      const queue = memoryQueue(options);
      return replace(queue, { send: (message) => queue.send(message) });
    },
  },
  {
    fault: "accepts messages after close()",
    check: "close() stops consumers, and later calls reject",
    open(options) {
      const queue = memoryQueue(options);
      return replace(queue, { send: (message) => queue.send(message).catch(() => {}) });
    },
  },
];

for (const check of queueChecks) {
  const faults = FAULTS.filter((fault) => fault.check === check.name);
  Deno.test(`The check "${check.name}" fails for a queue that breaks the rule`, async () => {
    if (faults.length === 0) throw new Error("no faulty queue for the check");
    for (const { open } of faults) {
      await assertRejects(() => check.run(open, { timeoutMs: 500 }));
    }
  });
}
