/**
 * Cases for the age of offers and acceptances, and for replayed offers.
 *
 * @module
 */

import type { JsonObject } from "../../conformance/kit/json.ts";
import {
  accept,
  answering,
  AREA,
  NOW,
  offer,
  OFFER_ID,
  reading,
  SIGNED_OFFER,
} from "./comm_negotiation_messages.ts";
import { ALICE, BOB } from "./keys.ts";

/** Times at which a message from {@linkcode TIME} is too old or from the future. */
const STALE_TIMES: readonly (readonly [name: string, now: string, code: string])[] = [
  ["a year later", "2027-01-02T03:04:05.678Z", "expired"],
  ["more than 5 minutes later", "2026-01-02T03:09:05.679Z", "expired"],
  ["more than 1 minute earlier", "2026-01-02T03:03:05.677Z", "not_yet_valid"],
];

/** Creates cases for the age of messages and for replayed offers. */
export function makeFreshness(): readonly JsonObject[] {
  const needs = { features: ["comm.negotiation.freshness"] };
  const clauses = ["COMM-NEG-14"];
  const answer = { messageText: SIGNED_OFFER, supported: ["agent.task.v1"], seedHex: BOB.seedHex };
  const read = { offerText: SIGNED_OFFER, answerText: accept({}) };
  const stale = (input: JsonObject): JsonObject[] =>
    STALE_TIMES.map(([name, now, code]) => ({
      name,
      input: { ...input, now },
      expect: { error: { code } },
    }));
  const offered = offer({ id: "offer-1" });
  return [
    {
      ...answering({
        slug: "offer-age",
        title: "A responder rejects a signed offer that is too old or whose age is unknown",
        clauses,
        why: "An intermediary could replay an offer from the past that has only weak protocols.",
        control: "answer",
      }, []),
      needs,
      rows: [...stale(answer), {
        name: "an id without a time",
        input: { ...answer, messageText: offered, now: NOW },
        expect: { error: { code: "age_unproven" } },
      }],
    },
    {
      ...reading({
        slug: "accept-age",
        title: "An offerer rejects an acceptance that is too old",
        clauses,
        why: "An old acceptance does not show which protocols the responder supports now.",
        control: "read",
      }, []),
      needs,
      rows: stale(read),
    },
    {
      id: `${AREA}/offer-once`,
      kind: "script",
      level: "MUST",
      basis: "decision",
      title:
        "A responder accepts a signed offer once, and releases an offer that it did not accept",
      clauses: ["COMM-NEG-15"],
      why: "An intermediary could replay an earlier offer that has only weak protocols.",
      needs,
      steps: onceSteps({ ...answer, now: NOW }),
    },
  ];
}

function onceSteps(args: JsonObject): readonly JsonObject[] {
  const answer = {
    do: "comm.negotiation.answer",
    args: { ...args, replayStore: { $handle: "s" } },
  };
  const key = { sender: ALICE.did, id: OFFER_ID };
  const unsupported = { ...answer.args, supported: ["agent.vote.v1"] };
  return [
    {
      do: "comm.replayStore.fake",
      args: { begin: [true, true, false, "reserved", "full"] },
      as: "s",
    },
    { ...answer, args: unsupported, expect: { error: { code: "no_common_protocol" } } },
    { ...answer, expect: { ok: {} } },
    { ...answer, expect: { error: { code: "replay_detected" } } },
    { ...answer, expect: { error: { code: "replay_detected" } } },
    { ...answer, expect: { error: { code: "replay_guard_full" } } },
    {
      do: "comm.replayStore.calls",
      on: "s",
      expect: {
        ok: {
          calls: ["begin", "abort", "begin", "commit", "begin", "begin", "begin"]
            .map((method) => ({ method, ...key })),
        },
      },
    },
  ];
}
