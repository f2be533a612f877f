/**
 * Cases for replay stores: capacity, failures, and reservations of message ids.
 *
 * @module
 */

import type { JsonObject } from "../../conformance/kit/json.ts";
import { LINKED, sign, toWire } from "./comm_messages.ts";
import { SIGNED, signed, toCase, toScript, UNSIGNED, verify } from "./comm_policy_case.ts";
import { BOB, CAROL } from "./keys.ts";

/** Step that creates the library's own replay store. */
function newStore(args: JsonObject): JsonObject {
  return { do: "comm.replayStore.new", args, as: "store" };
}

/** Values that the methods of a replay store return, one per call. */
interface StoreResults {
  readonly commit?: readonly (true | typeof THROWS)[];
  readonly abort?: readonly (true | typeof THROWS)[];
}

/** Result of a call to which the store responds with an error. */
const THROWS = { throws: true };

/** Step that creates a replay store whose methods return the given values. */
function fakeStore(
  begin: readonly (string | number | boolean | null | JsonObject)[],
  { commit, abort }: StoreResults = {},
): JsonObject {
  const args = {
    begin,
    ...(commit === undefined ? {} : { commit }),
    ...(abort === undefined ? {} : { abort }),
  };
  return { do: "comm.replayStore.fake", args, as: "store" };
}

/**
 * Step that checks the calls that the replay store received: each method, and the sender and id of
 * the message.
 */
function expectCalls(
  ...calls: readonly (readonly [method: string, message?: string])[]
): JsonObject {
  const expected = calls.map(([method, message = SIGNED]) => {
    const { sender, id } = JSON.parse(message);
    return { method, sender, id };
  });
  return { do: "comm.replayStore.calls", on: "store", expect: { ok: { calls: expected } } };
}

/** A second message from the same sender. */
const SECOND = signed({ id: "019b7ca9-8f2e-7a00-8000-000000000002" });

/** Creates the cases for the capacity and the results of replay stores. */
export function makeStores(): readonly JsonObject[] {
  const fromBob = signed({ sender: BOB.did }, BOB);
  const fromCarol = signed({ sender: CAROL.did }, CAROL);
  return [
    toCase({
      slug: "full-store",
      title: "A full replay store rejects new messages and still detects replays",
      clauses: ["COMM-POL-12"],
      why:
        "A peer could send many messages to evict an entry, and then replay the evicted message.",
    }, {
      replayStore: newStore({ maxEntries: 2 }),
      messages: [
        [SIGNED, true],
        [fromBob, true],
        [fromCarol, "replay_guard_full"],
        [SIGNED, "replay_detected"],
        [fromBob, "replay_detected"],
      ],
    }),
    toCase({
      slug: "share-of-one-sender",
      title: "One sender can use only its share of a replay store",
      clauses: ["COMM-POL-13"],
      why:
        "Without a limit per sender, one sender could fill the store and block all other senders.",
    }, {
      replayStore: newStore({ maxEntries: 10, maxSharePerSender: 0.1 }),
      messages: [[SIGNED, true], [SECOND, "replay_guard_full"], [fromBob, true]],
    }),
    toCase({
      slug: "store-says-new",
      title: "A message is accepted if a custom replay store reports that it is new",
      clauses: ["COMM-POL-14"],
      why:
        "Control case: the cases in which a custom replay store fails differ only in the store's result.",
    }, {
      replayStore: fakeStore([true, true, false]),
      messages: [[SIGNED, true], [SECOND, true], [SIGNED, "replay_detected"]],
    }),
    toCase({
      slug: "store-throws",
      title: "A message is rejected if the replay store throws an error",
      clauses: ["COMM-POL-14"],
      why: "If errors were ignored, replays would be accepted during an outage of the store.",
      control: "store-says-new",
    }, {
      replayStore: fakeStore([THROWS, true]),
      messages: [[SIGNED, "replay_store_failed"], [SIGNED, true]],
    }),
    toCase({
      slug: "store-returns-something-else",
      title: "A message is rejected if the replay store returns an unknown result",
      clauses: ["COMM-POL-14"],
      why: "A database client may return a status string or a number for a failed command.",
      control: "store-says-new",
    }, {
      replayStore: fakeStore([null, "OK", 1, 0, {}]),
      messages: Array.from({ length: 5 }, () => [SIGNED, "replay_store_failed"]),
    }),
  ];
}

/** Step that verifies the message and reserves its id. */
function begin(answer: true | string, as?: string, messageText = SIGNED): JsonObject {
  return {
    do: "comm.verifier.begin",
    on: "verifier",
    args: { messageText },
    ...(as === undefined ? {} : { as }),
    expect: { ok: answer === true ? { valid: true } : { valid: false, reason: answer } },
  };
}

/** Step that ends a reservation. With `code`, the step must fail with the error code. */
function settle(name: "commit" | "abort", on: string, code?: string): JsonObject {
  return {
    do: `comm.reservation.${name}`,
    on,
    ...(code === undefined ? {} : { expect: { error: { code } } }),
  };
}

/** Creates the cases for verification in two steps with the library's own replay store. */
export function makeReservations(): readonly JsonObject[] {
  return [
    toScript(
      {
        slug: "aborted-reservation",
        title: "A message whose processing failed is accepted when it is delivered again",
        clauses: ["COMM-POL-15"],
        why: "If the replay store kept the id, each failure in processing would lose a message.",
      },
      { replayGuard: true },
      [
        begin(true, "first"),
        settle("abort", "first"),
        begin(true, "second"),
        settle("commit", "second"),
        begin("replay_detected"),
      ],
    ),
    toScript(
      {
        slug: "reservation-in-progress",
        title: "A message that is being processed is rejected when it is delivered again",
        clauses: ["COMM-POL-15"],
        why:
          "If both copies of a message were accepted, two consumers would process it concurrently.",
      },
      { replayGuard: true },
      [
        begin(true, "first"),
        begin("replay_detected"),
        settle("commit", "first"),
        begin("replay_detected"),
        verify(SIGNED, "replay_detected"),
      ],
    ),
    toScript(
      {
        slug: "abort-after-commit",
        title: "A committed message is still rejected as a replay after its reservation is aborted",
        clauses: ["COMM-POL-15"],
        why: "A late error handler must not release a message that was processed.",
      },
      { replayGuard: true },
      [
        begin(true, "first"),
        settle("commit", "first"),
        settle("abort", "first"),
        begin("replay_detected"),
      ],
    ),
  ];
}

/** Creates the cases for the calls to `commit` and `abort` that a replay store receives. */
export function makeSettlements(): readonly JsonObject[] {
  const forged = toWire({ ...sign(LINKED), payload: "1" });
  const failed = "replay_store_failed";
  return [
    toScript(
      {
        slug: "verified-is-committed",
        title: "A message that is verified in one step is committed in the replay store once",
        clauses: ["COMM-POL-18"],
        why:
          "A store may release an entry that is not committed, and the message could then be replayed.",
      },
      { replayStore: fakeStore([true]) },
      [verify(SIGNED, true), expectCalls(["begin"], ["commit"])],
    ),
    toScript(
      {
        slug: "rejected-is-not-settled",
        title: "A message that is rejected is neither committed nor aborted in the replay store",
        clauses: ["COMM-POL-18", "COMM-POL-5"],
        control: "verified-is-committed",
        why:
          "If a replay released the entry, the next replay would be accepted while the first copy is being processed.",
      },
      { replayStore: fakeStore([false, false]) },
      [
        verify(forged, "signature_invalid"),
        verify(SIGNED, "replay_detected"),
        begin("replay_detected"),
        expectCalls(["begin"], ["begin"]),
      ],
    ),
    toScript(
      {
        slug: "unsigned-is-not-recorded",
        title: "A message that needs no signature is not recorded in the replay store",
        clauses: ["COMM-POL-5"],
        control: "verified-is-committed",
        why:
          "A forged message with the sender and id of an authentic message would cause the authentic message to be rejected.",
      },
      { replayStore: fakeStore([true]), policy: { require: "none" } },
      [verify(UNSIGNED, true), expectCalls()],
    ),
    toScript(
      {
        slug: "commit-fails",
        title:
          "A message is rejected and its reservation is aborted if the replay store cannot commit it",
        clauses: ["COMM-POL-19"],
        control: "verified-is-committed",
        why:
          "The store may release an entry that was not committed, which allows a replay, and an entry that is never released loses the message.",
      },
      { replayStore: fakeStore([true, true], { commit: [THROWS] }) },
      [
        verify(SIGNED, failed),
        expectCalls(["begin"], ["commit"], ["abort"]),
        verify(SIGNED, true),
        expectCalls(["begin"], ["commit"], ["abort"], ["begin"], ["commit"]),
      ],
    ),
    toScript(
      {
        slug: "commit-and-abort-fail",
        title: "A message is rejected if the replay store can neither commit nor abort it",
        clauses: ["COMM-POL-19"],
        control: "verified-is-committed",
        why:
          "During an outage of the replay store, commit and abort both fail, and the message must still be rejected.",
      },
      { replayStore: fakeStore([true], { commit: [THROWS], abort: [THROWS] }) },
      [verify(SIGNED, failed), expectCalls(["begin"], ["commit"], ["abort"])],
    ),
    toScript(
      {
        slug: "settled-again-after-failure",
        title: "A reservation can be committed or aborted again after the replay store has failed",
        clauses: ["COMM-POL-20"],
        why:
          "A consumer that cannot repeat a failed commit would have to process the message again.",
      },
      { replayStore: fakeStore([true, true], { commit: [THROWS], abort: [THROWS] }) },
      [
        begin(true, "committed"),
        settle("commit", "committed", failed),
        settle("commit", "committed"),
        begin(true, "aborted", SECOND),
        settle("abort", "aborted", failed),
        settle("abort", "aborted"),
        expectCalls(
          ["begin"],
          ["commit"],
          ["commit"],
          ["begin", SECOND],
          ["abort", SECOND],
          ["abort", SECOND],
        ),
      ],
    ),
    toScript(
      {
        slug: "settled-only-once",
        title: "A reservation that was committed or aborted does not call the replay store again",
        clauses: ["COMM-POL-20"],
        why:
          "After an abort, another consumer may have reserved the message, and a late commit or abort would change that consumer's entry.",
      },
      { replayStore: fakeStore([true, true]) },
      [
        begin(true, "aborted"),
        settle("abort", "aborted"),
        settle("abort", "aborted"),
        settle("commit", "aborted"),
        begin(true, "committed", SECOND),
        settle("commit", "committed"),
        settle("commit", "committed"),
        settle("abort", "committed"),
        expectCalls(["begin"], ["abort"], ["begin", SECOND], ["commit", SECOND]),
      ],
    ),
  ];
}
