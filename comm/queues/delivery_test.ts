import { assert, assertEquals, assertFalse } from "@std/assert";
import { AgentCommMessage } from "../message/message.ts";
import { formatMessage } from "../message/message_json.ts";
import { deliver, type DeliverOptions, reasonOf } from "./delivery.ts";
import { type QueueDelivery, Reject } from "./message_queue.ts";

const SETTINGS = { maxAttempts: 10, maxMessageBytes: 1_048_576, handlerTimeoutMs: 900_000 };

const JSON_TEXT = formatMessage(
  new AgentCommMessage({
    sender: "did:web:ann.example",
    recipient: "did:web:bob.example",
    protocol: "agent.task.v1",
    messageType: "task_assign",
    payload: null,
  }),
);

function deliverTo(
  handler: (delivery: QueueDelivery) => void | Promise<void>,
  options: Partial<DeliverOptions<never>> = {},
) {
  return deliver<never>(JSON_TEXT, {
    handler,
    settings: SETTINGS,
    attempt: 1,
    stopped: new AbortController().signal,
    ...options,
  });
}

/** A promise that never settles, like a handler that ignores its signal. */
const ENDLESS = new Promise<void>(() => {});

Deno.test("deliver() acknowledges a message when the handler returns or its promise resolves", async () => {
  const handlers = [() => {}, () => Promise.resolve(), () => [1].forEach(() => {})];
  for (const handler of handlers) {
    assertEquals(await deliverTo(handler), { type: "acknowledged" });
  }
});

Deno.test("deliver() waits for the promise of a handler that also reads the signal", async () => {
  let hasEnded = false;
  await deliverTo(async ({ signal }) => {
    assertFalse(signal.aborted);
    await Promise.resolve();
    hasEnded = true;
  });
  assert(hasEnded);
});

Deno.test("deliver() reports an error thrown before or after the first await", async () => {
  const error = new Error("the attempt fails");
  const fail = (): void => {
    throw error;
  };
  for (const handler of [fail, () => Promise.reject(error)]) {
    assertEquals(await deliverTo(handler), { type: "failed", error });
  }
  const rejection = new Reject("poison");
  assertEquals(await deliverTo(() => Promise.reject(rejection)), {
    type: "rejected",
    reason: "poison",
    error: rejection,
  });
});

Deno.test("deliver() does not wait for a handler whose message is lost or whose time is exceeded", async () => {
  const losing = new AbortController();
  const reason = new Error("delivered to another consumer");
  const lost = deliverTo(() => ENDLESS, { lost: losing.signal });
  losing.abort(reason);
  assertEquals(await lost, { type: "failed", error: reason });
  assertEquals(await deliverTo(() => ENDLESS, { lost: losing.signal }), {
    type: "failed",
    error: reason,
  });
  const settings = { ...SETTINGS, handlerTimeoutMs: 1 };
  const late = await deliverTo(() => ENDLESS, { settings });
  assertEquals(
    late.type === "failed" && String(late.error),
    "CommError: Cannot handle message: timed out after 1 ms",
  );
});

Deno.test("deliver() waits for a running handler when the consumer stops", async () => {
  const stopping = new AbortController();
  const outcome = await deliverTo(async ({ signal }) => {
    stopping.abort();
    assert(signal.aborted);
    await Promise.resolve();
  }, { stopped: stopping.signal });
  assertEquals(outcome, { type: "acknowledged" });
});

Deno.test("deliver() does not wait for a handler of a stopped consumer that exceeds its time limit", async () => {
  const stopping = new AbortController();
  const settings = { ...SETTINGS, handlerTimeoutMs: 1 };
  const outcome = await deliverTo(() => {
    stopping.abort();
    return ENDLESS;
  }, { stopped: stopping.signal, settings });
  assertEquals(
    outcome.type === "failed" && String(outcome.error),
    "CommError: Cannot handle message: timed out after 1 ms",
  );
});

// If reading the signal started a timer, the test runner would report the timer as a leak.
Deno.test("the signal of a delivery that has ended starts no timer", async () => {
  let kept: QueueDelivery | undefined;
  await deliverTo((delivery) => {
    kept = delivery;
  });
  assertEquals(kept?.signal.aborted, false);
});

Deno.test("deliver() does not call the handler if the consumer is stopped or the message is lost", async () => {
  const reason = new Error("stopped or lost");
  const aborted = AbortSignal.abort(reason);
  for (const options of [{ stopped: aborted }, { lost: aborted }]) {
    let calls = 0;
    const outcome = await deliverTo(() => void calls++, options);
    assertEquals([outcome, calls], [{ type: "failed", error: reason }, 0]);
  }
});

Deno.test("reasonOf() escapes invisible characters and marks a truncated message", () => {
  assertEquals(reasonOf(new Error("a\u001b\u202e")), "a\\u{1b}\\u{202e}");
  assertEquals(reasonOf(`${"x".repeat(999)}\u{1f600}`), `${"x".repeat(999)}…`);
  assertEquals(reasonOf("a\ud800"), "a\ufffd");
});

/** Values that a handler can throw, some of which have no text form or cannot be read. */
function thrownValues(): readonly unknown[] {
  const fail = (): never => {
    throw new Error("unreadable");
  };
  const proxy = new Proxy({}, { get: fail, getPrototypeOf: fail });
  return [undefined, null, Symbol("s"), Object.create(null), { toString: fail }, proxy, 1n];
}

Deno.test("deliver() never rejects, whatever value the handler throws or rejects with", async () => {
  for (const value of thrownValues()) {
    const fail = (): never => {
      throw value;
    };
    for (const handler of [fail, () => Promise.reject(value)]) {
      assertEquals((await deliverTo(handler)).type, "failed");
      const last = await deliverTo(handler, { attempt: SETTINGS.maxAttempts });
      assertEquals(last.type === "rejected" && typeof last.reason, "string");
    }
  }
});
