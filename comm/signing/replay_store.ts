/**
 * The interface of replay stores, and reservations of message ids.
 *
 * @module
 */

import type { AgentCommMessage } from "../message/message.ts";
import { abortable } from "@parley/internal/abortable";
import { readSignal } from "@parley/internal/read-signal";
import type { CallContext, CallLimits } from "@parley/internal/call-within";
import { callSafely, type SafeCallSettings } from "../shared/call_safely.ts";
import {
  assertFunction,
  assertPositiveNumber,
  assertRecord,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { formatValue } from "@parley/internal/format-value";
import { replayDetected, replayGuardFull, replayStoreFailed } from "./verify_error.ts";

/**
 * Result of the `begin` method of a {@linkcode ReplayStore}: `true` if the sender and id were not
 * tracked and are now reserved, `false` if they were committed, `"reserved"` if they are reserved
 * but neither committed nor aborted, and `"full"` if the store has no capacity.
 */
export type ReplayBeginResult = boolean | "reserved" | "full";

/** Options for the `begin` method of a {@linkcode ReplayStore}. */
export interface ReplayBeginOptions {
  /**
   * Current time according to the clock that `untilMs` refers to, in milliseconds since the Unix
   * epoch. A store whose clock can differ keeps the entry for `untilMs - nowMs` milliseconds.
   */
  readonly nowMs?: number;
  /** Aborts the operation. */
  readonly signal?: AbortSignal;
}

/**
 * A store that tracks messages by sender and id, which the signature covers. The `ReplayGuard`
 * class tracks messages in memory. To reject a replay on several replicas or after a restart,
 * implement this interface with a shared database. The implementation can be a plain object.
 *
 * A shared store must follow these rules:
 *
 * - `begin` is atomic: of concurrent calls with the same sender and id, exactly one returns `true`.
 *   An SQL `INSERT … ON CONFLICT DO NOTHING` and a Redis `SET … NX` are atomic.
 * - Only a `begin` result of exactly `true` admits a message. `false` and `"reserved"` reject the
 *   message with `replay_detected`, and `"full"` with `replay_guard_full`. An unexpected result of
 *   `begin`, or an exception, rejects the message with `replay_store_failed`.
 * - `false` means that the message has already been processed, so the consumer of a queue
 *   acknowledges a redelivery. A store that returned `false` for a reserved message would lose the
 *   message if the process that reserved the message crashed.
 * - A committed entry is kept until `untilMs` has passed. A store must not evict a committed entry
 *   before its `untilMs`.
 * - `untilMs` is a time of the verifier's clock. A store with its own clock, such as a database,
 *   keeps the entry for `untilMs - nowMs` milliseconds from the call of `begin`. Otherwise, the
 *   entry would expire too early if the clock of the store is ahead.
 * - A reserved entry that was neither committed nor aborted, for example because its process has
 *   crashed, may become available after a time that the store chooses, which must be longer than it
 *   takes to process a message.
 *
 * @example Implement a store with a database
 * ```ts
 * import { createVerifier, type ReplayStore } from "@parley/comm/policy";
 * import { assertEquals } from "@std/assert";
 *
 * const rows = new Map<string, { untilMs: number; isCommitted: boolean }>(); // a database table
 * const store: ReplayStore = {
 *   ttlMs: 600_000,
 *   async begin(sender, id, untilMs) {
 *     const key = `${sender} ${id}`;
 *     const row = rows.get(key);
 *     if (row !== undefined) return row.isCommitted ? false : "reserved";
 *     rows.set(key, { untilMs, isCommitted: false });
 *     return await Promise.resolve(true);
 *   },
 *   commit(sender, id) {
 *     const row = rows.get(`${sender} ${id}`);
 *     if (row !== undefined) row.isCommitted = true;
 *   },
 *   abort(sender, id) {
 *     if (rows.get(`${sender} ${id}`)?.isCommitted === false) rows.delete(`${sender} ${id}`);
 *   },
 * };
 * createVerifier({ recipient: "did:web:bob.example", replayGuard: store });
 * assertEquals(rows.size, 0);
 * ```
 */
export interface ReplayStore {
  /**
   * Maximum time that the store tracks a message, in milliseconds. Must be at least the sum of the
   * policy's `maxAgeMs` and `clockSkewMs`. If verifiers on several machines share the store, their
   * clocks may differ by `clockSkewMs`, and `ttlMs` should be at least `maxAgeMs` plus twice
   * `clockSkewMs`. If `maxAgeMs` is `Infinity`, each message is tracked for `ttlMs`.
   */
  readonly ttlMs: number;
  /**
   * Reserves the sender and id of a message.
   *
   * @param sender DID of the sender.
   * @param id Id of the message, of any length, compared exactly.
   * @param untilMs Time until which the entry must be kept, in milliseconds since the Unix epoch,
   *   according to the caller's clock.
   * @param options The caller's time, and an optional abort signal.
   */
  begin(
    sender: string,
    id: string,
    untilMs: number,
    options?: ReplayBeginOptions,
  ): ReplayBeginResult | Promise<ReplayBeginResult>;
  /**
   * Marks a reserved entry as accepted, so that the entry is kept until its `untilMs`.
   *
   * @param sender DID of the sender.
   * @param id Id of the message.
   */
  commit(sender: string, id: string): void | Promise<void>;
  /**
   * Removes a reserved entry, so that the message can be accepted again. Does not change a
   * committed entry.
   *
   * @param sender DID of the sender.
   * @param id Id of the message.
   */
  abort(sender: string, id: string): void | Promise<void>;
}

/**
 * A reserved entry of a replay store. The first successful call to `commit` or `abort` decides
 * whether the message is accepted.
 */
export interface Reservation {
  /**
   * Accepts the message permanently: every redelivery is rejected with `replay_detected`.
   *
   * @param options An optional abort signal.
   * @throws {CommError} With code "replay_store_failed" if the store fails or exceeds the timeout
   *   of the verifier; the caller can then call `commit` again.
   * @throws The signal's reason if the signal is aborted.
   */
  commit(options?: ReservationOptions): Promise<void>;
  /**
   * Releases the id, so that a redelivery of the message is accepted.
   *
   * @param options An optional abort signal.
   * @throws {CommError} With code "replay_store_failed" if the store fails or exceeds the timeout
   *   of the verifier; the caller can then call `abort` again.
   * @throws The signal's reason if the signal is aborted.
   */
  abort(options?: ReservationOptions): Promise<void>;
}

/** Options for the methods of a {@linkcode Reservation}. */
export interface ReservationOptions {
  /** Aborts the operation. The store might still complete the operation. */
  readonly signal?: AbortSignal;
}

/** Throws a `TypeError` if a value does not have the members of a replay store. */
export function assertReplayStore(name: string, value: unknown): void {
  assertRecord(name, value);
  const { ttlMs, begin, commit, abort } = value;
  for (const [method, member] of Object.entries({ begin, commit, abort })) {
    assertFunction(`${name}.${method}`, member);
  }
  if (typeof ttlMs !== "number") rejectArgument(`${name}.ttlMs`, "a number", ttlMs);
}

/**
 * Throws unless a value is a positive and finite number of milliseconds. Entries that are kept
 * forever would fill a store.
 */
export function assertFiniteTime(name: string, value: unknown): void {
  assertPositiveNumber(name, value);
  if (value === Infinity) throw new RangeError(`"${name}" must be finite, got Infinity`);
}

/**
 * Returns the number of milliseconds for which a store must keep an entry, measured with the clock
 * of the store, but at most `ttlMs`. If `untilMs` has passed, returns `ttlMs`: a caller that passes
 * no time might have a different clock than the store.
 */
export function durationOf(
  untilMs: number,
  { nowMs, ttlMs }: { readonly nowMs: number; readonly ttlMs: number },
): number {
  const leftMs = untilMs - nowMs;
  return leftMs > 0 ? Math.min(leftMs, ttlMs) : ttlMs;
}

/** Settings of {@linkcode reserveId}. */
export interface ReserveSettings extends CallLimits {
  readonly untilMs: number;
  readonly nowMs: number;
}

/**
 * Reserves the id of a message. Throws `replay_detected`, `replay_guard_full` or
 * `replay_store_failed` unless the store returns exactly `true` within the timeout.
 */
export async function reserveId(
  store: ReplayStore,
  message: AgentCommMessage,
  settings: ReserveSettings,
): Promise<Reservation> {
  const { sender, id } = message;
  const reservation = createReservation(store, message, settings.timeoutMs);
  const result = await callBegin(store, message, settings, reservation);
  if (result === true) return reservation;
  if (result === false) throw replayDetected(sender, id);
  if (result === "reserved") throw replayDetected(sender, id, { isReserved: true });
  if (result === "full") throw replayGuardFull(sender, id);
  throw replayStoreFailed("begin", `returned ${formatValue(result)}`);
}

/**
 * Calls `begin`. If the signal aborts or the timeout expires before `begin` returns, releases the
 * entry that `begin` reserves afterward.
 */
async function callBegin(
  store: ReplayStore,
  { sender, id }: AgentCommMessage,
  { untilMs, nowMs, ...limits }: ReserveSettings,
  reservation: Reservation,
): Promise<unknown> {
  let isWaiting = true;
  const begin = async (context: CallContext): Promise<unknown> => {
    const options: ReplayBeginOptions = {
      nowMs,
      get signal() {
        return context.signal;
      },
    };
    const result: unknown = await store.begin(sender, id, untilMs, options);
    // The caller has stopped waiting and cannot receive an error, so if `abort` fails, the entry
    // stays reserved until the store releases it.
    if (!isWaiting && result === true) reservation.abort().catch(() => {});
    return result;
  };
  try {
    return await callSafely(begin, { ...limits, fail: failureOf("begin") });
  } finally {
    isWaiting = false;
  }
}

function createReservation(
  store: ReplayStore,
  { sender, id }: AgentCommMessage,
  timeoutMs: number,
): Reservation {
  let settled: Promise<void> | undefined;
  async function settle(name: "commit" | "abort", options?: ReservationOptions): Promise<void> {
    const signal = readSignal(options);
    const limits = { signal, timeoutMs, fail: failureOf(name) };
    settled ??= callSafely(() => store[name](sender, id), limits).catch((error) => {
      settled = undefined;
      throw error;
    });
    await abortable(settled, signal);
  }
  return {
    commit: (options) => settle("commit", options),
    abort: (options) => settle("abort", options),
  };
}

/** Returns a function that creates the error for a method that has failed. */
function failureOf(method: string): SafeCallSettings["fail"] {
  return (reason, options) => replayStoreFailed(method, reason, options);
}
