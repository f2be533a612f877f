/**
 * The form of a message queue check, and the functions that the checks share.
 *
 * @module
 */

import { runCheck } from "@parley/internal/run-check";
import { AgentCommMessage } from "../message/message.ts";
import { CommError, type CommErrorCodeType } from "../shared/error.ts";
import type { JsonValue } from "../shared/json.ts";
import type { MessageQueue, QueueDelivery } from "./message_queue.ts";
import type { QueueOptions } from "./queue_options.ts";

/** Options for {@linkcode QueueCheck.run}. */
export interface QueueCheckOptions {
  /**
   * Timeout for the check, in milliseconds. A check that exceeds its timeout fails.
   *
   * @default {30_000}
   */
  readonly timeoutMs?: number;
}

/** A check for a message queue. The check does not depend on a test runner. */
export interface QueueCheck {
  /** The behavior that the check asserts, as a sentence. */
  readonly name: string;
  /**
   * Runs the check. Rejects if the queue does not behave as the check requires.
   *
   * @param open Opens a queue with the given options. The check closes the queue. The opened queues
   *   may share a database, because each check uses new inboxes.
   * @param options Timeout for the check.
   */
  run(
    open: (options: QueueOptions) => MessageQueue<unknown> | Promise<MessageQueue<unknown>>,
    options?: QueueCheckOptions,
  ): Promise<void>;
}

type Handler = (delivery: QueueDelivery<unknown>) => void | Promise<void>;

/** DIDs of two senders and two recipients. */
export const ANN = "did:web:ann.example";
export const BEN = "did:web:ben.example";
export const BOB = "did:web:bob.example";
export const CAROL = "did:web:carol.example";

/** A queue under test, with an unordered inbox for Bob and an ordered inbox for Carol. */
export interface QueueCheckSetup {
  readonly queue: MessageQueue<unknown>;
  readonly bob: string;
  readonly carol: string;
}

export function queueCheck(
  name: string,
  check: (setup: QueueCheckSetup) => Promise<void>,
  options: Partial<QueueOptions> = {},
): QueueCheck {
  return {
    name,
    run: (open, runOptions = {}) => {
      const [bob, carol] = [`bob-${crypto.randomUUID()}`, `carol-${crypto.randomUUID()}`];
      return runCheck({
        name,
        options: runOptions,
        open: () =>
          open({
            inboxOf: (did) => did === CAROL ? carol : bob,
            orderedInboxes: [carol],
            retryDelayMs: 1,
            maxRetryDelayMs: 1,
            onError: () => {},
            ...options,
          }),
        check: (queue) => check({ queue, bob, carol }),
        close: (queue) => queue.close(),
      });
    },
  };
}

/** Creates a message with a new id. */
export function messageOf(
  payload: JsonValue = null,
  members: { readonly sender?: string; readonly recipient?: string; readonly id?: string } = {},
): AgentCommMessage {
  const addressed = { sender: ANN, recipient: BOB, ...members };
  return new AgentCommMessage({
    ...addressed,
    protocol: "agent.task.v1",
    messageType: "task_assign",
    payload,
  });
}

export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (found !== wanted) throw new Error(`${what} must be ${wanted}, got ${found}`);
}

export async function expectCode(work: Promise<unknown>, code: CommErrorCodeType): Promise<void> {
  const error = await work.then(() => undefined, (error: unknown) => error);
  const found = error instanceof CommError ? error.code : String(error);
  expectEqual(found, code, "the code of the error");
}

/** Consumes an inbox until the handler calls `done`. */
export async function consumeUntilDone(
  queue: MessageQueue<unknown>,
  inbox: string,
  handler: (delivery: QueueDelivery<unknown>, done: () => void) => void | Promise<void>,
  concurrency = 1,
): Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const done = (): void => stopping.abort();
  await queue.consume(inbox, (delivery) => handler(delivery, done), { concurrency, signal });
}

/** Consumes an inbox while a function runs. */
export async function whileConsuming(
  queue: MessageQueue<unknown>,
  inbox: string,
  handler: Handler,
  run: () => Promise<void>,
): Promise<void> {
  const stopping = new AbortController();
  const consuming = queue.consume(inbox, handler, { signal: stopping.signal });
  try {
    await run();
  } finally {
    stopping.abort();
    await consuming;
  }
}

/** Returns the payloads from an inbox, in delivery order, up to the payload "last". */
export async function readPayloads(
  queue: MessageQueue<unknown>,
  inbox: string,
): Promise<JsonValue[]> {
  const payloads: JsonValue[] = [];
  await consumeUntilDone(queue, inbox, ({ message }, done) => {
    payloads.push(message.payload);
    if (message.payload === "last") done();
  });
  return payloads;
}

/** Rejects when a signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}

/** Lets other tasks run. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
