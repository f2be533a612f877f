/**
 * Cases for verification policies: required signatures, recipients, replays, age and reply chains.
 *
 * @module
 */

import type { JsonObject } from "../../conformance/kit/json.ts";
import type { GeneratedArea } from "./generated_area.ts";
import { MESSAGE, prove } from "./comm_proof.ts";
import { LINKED, type Members, PLAIN, sign, toWire } from "./comm_messages.ts";
import { AREA, SIGNED, signed, toCase, toScript, UNSIGNED, verify } from "./comm_policy_case.ts";
import { makeReservations, makeSettlements, makeStores } from "./comm_replay_stores.ts";
import { ALICE, BOB, CAROL, toMultibase } from "./keys.ts";

function levels(): readonly JsonObject[] {
  return [
    toCase({
      slug: "accepted",
      title: "A recent, signed message for the verifier's own DID is accepted",
      clauses: ["COMM-POL-1", "COMM-POL-2"],
      why: "Control case: each rejection case in this file adds one defect to this valid input.",
    }, { messages: [[SIGNED, true]] }),
    toCase({
      slug: "unsigned-when-required",
      title: "A message without a signature is rejected if the policy requires signatures",
      clauses: ["COMM-POL-1"],
      why: "If signatures are optional, an attacker can remove them.",
      control: "accepted",
    }, { policy: { require: "signature" }, messages: [[UNSIGNED, "signature_missing"]] }),
    toCase({
      slug: "unsigned-by-default",
      title: "A signature is required if the policy does not specify whether it is required",
      clauses: ["COMM-POL-1"],
      why:
        "By default, an attacker must not be able to bypass verification by removing the signature.",
      control: "accepted",
    }, { messages: [[UNSIGNED, "signature_missing"]] }),
    toCase({
      slug: "unsigned-when-not-required",
      title: "A message without a signature is accepted if the policy does not require signatures",
      clauses: ["COMM-POL-1"],
      why: "Agents in the same process may trust each other without signatures.",
    }, { policy: { require: "none" }, messages: [[UNSIGNED, true]] }),
    toCase({
      slug: "required-of-a-sender",
      title: "A signature requirement for one sender applies only to that sender",
      clauses: ["COMM-POL-1"],
      why: "A policy may require signatures only from peers that are known to sign their messages.",
      control: "unsigned-when-not-required",
    }, {
      policy: { require: "none", senders: { [ALICE.did]: "signature" } },
      messages: [[UNSIGNED, "signature_missing"], [signed({}), true]],
    }),
    toCase({
      slug: "required-of-a-protocol",
      title: "A signature requirement for one protocol applies only to that protocol",
      clauses: ["COMM-POL-1"],
      why: "A policy may require signatures for payments but not for heartbeats.",
      control: "unsigned-when-not-required",
    }, {
      policy: { require: "none", protocols: { [LINKED.protocol]: "signature" } },
      messages: [
        [UNSIGNED, "signature_missing"],
        [toWire({ ...LINKED, protocol: "agent.heartbeat.v1" }), true],
      ],
    }),
    toCase({
      slug: "proof-stripped",
      title: "A message without a proof is rejected if the policy requires proofs",
      clauses: ["COMM-POL-9"],
      why: "If proofs are optional, an attacker can remove them.",
      control: "accepted",
    }, { policy: { require: "proof" }, messages: [[SIGNED, "proof_missing"]] }),
    toCase({
      slug: "wrong-recipient",
      title: "A message for a recipient other than the verifier is rejected",
      clauses: ["COMM-POL-2"],
      why:
        "If the recipient were not checked, an attacker could deliver messages that were signed for another agent.",
      control: "accepted",
    }, { recipient: CAROL.did, messages: [[SIGNED, "recipient_mismatch"]] }),
    toCase({
      slug: "wrong-recipient-unsigned",
      title: "A policy without any requirements still rejects a message for another recipient",
      clauses: ["COMM-POL-2"],
      why: "A message for another agent must be rejected, whether it is signed or not.",
      control: "unsigned-when-not-required",
    }, {
      recipient: CAROL.did,
      policy: { require: "none" },
      messages: [[UNSIGNED, "recipient_mismatch"]],
    }),
  ];
}

function replays(): readonly JsonObject[] {
  const forged = toWire({ ...sign(LINKED), payload: "1" });
  const fromBob = signed({ sender: BOB.did, recipient: BOB.did }, BOB);
  return [
    toCase({
      slug: "replay",
      title: "A replay guard accepts a message only once",
      clauses: ["COMM-POL-3"],
      why: "A replayed order must not be executed again.",
    }, { replayGuard: true, messages: [[SIGNED, true], [SIGNED, "replay_detected"]] }),
    toCase({
      slug: "replay-with-other-unsigned-members",
      title: "A replay guard detects a replay whose unsigned members were changed",
      clauses: ["COMM-POL-3"],
      why: "An attacker can change unsigned members without invalidating the signature.",
    }, {
      replayGuard: true,
      policy: { replyTo: "untrusted" },
      messages: [
        [SIGNED, true],
        [toWire({ ...sign(LINKED), replyTo: "r-9" }), "replay_detected"],
        [toWire({ ...sign(LINKED), timestamp: "2026-01-02T03:04:05.9Z" }), "replay_detected"],
        [SIGNED.replace(/}$/, ',"x":1}'), "replay_detected"],
      ],
    }),
    toCase({
      slug: "no-guard",
      title: "Without a replay guard, a message is accepted more than once",
      clauses: ["COMM-POL-3"],
      why: "Replay detection requires state, so an application must enable it explicitly.",
    }, { messages: [[SIGNED, true], [SIGNED, true]] }),
    toCase({
      slug: "same-id-of-another-sender",
      title: "A replay guard accepts a message with the same id from another sender",
      clauses: ["COMM-POL-4"],
      why: "If a replay guard compared only ids, one sender could block another sender's messages.",
    }, { replayGuard: true, messages: [[SIGNED, true], [fromBob, true]] }),
    toCase({
      slug: "forgery-does-not-poison",
      title: "A forged copy that arrives first does not make the authentic message a replay",
      clauses: ["COMM-POL-5"],
      why: "If a replay guard recorded forged messages, an attacker could suppress authentic ones.",
    }, { replayGuard: true, messages: [[forged, "signature_invalid"], [SIGNED, true]] }),
  ];
}

function admissions(): readonly JsonObject[] {
  const needs = { features: ["comm.policy.reject"] };
  const fromCarol = signed({ sender: CAROL.did }, CAROL);
  return [
    toCase({
      slug: "only-named-senders",
      title: "A policy that rejects senders by default accepts only the senders that it names",
      clauses: ["COMM-POL-16"],
      needs,
      why:
        "Anyone can create a DID and sign messages with it, so a valid signature alone does not make a sender trustworthy.",
    }, {
      policy: { require: "reject", senders: { [ALICE.did]: "signature" } },
      messages: [[SIGNED, true], [fromCarol, "sender_refused"], [UNSIGNED, "signature_missing"]],
    }),
    toCase({
      slug: "protocol-does-not-admit",
      title:
        "A sender that the policy does not name is rejected even if the policy names the protocol",
      clauses: ["COMM-POL-16"],
      needs,
      control: "only-named-senders",
      why:
        "A policy's requirement for a protocol specifies which signatures are needed, not which senders are accepted.",
    }, {
      policy: {
        require: "reject",
        senders: { [ALICE.did]: "signature" },
        protocols: { [LINKED.protocol]: "signature" },
      },
      messages: [[SIGNED, true], [fromCarol, "sender_refused"]],
    }),
    toCase({
      slug: "rejected-sender-or-protocol",
      title:
        "A sender or protocol that the policy rejects is rejected even if another rule would accept the message",
      clauses: ["COMM-POL-16"],
      needs,
      control: "only-named-senders",
      why:
        "If two rules of a policy apply to a message, the stricter one wins, and rejection is the strictest.",
    }, {
      policy: {
        senders: { [CAROL.did]: "reject", [ALICE.did]: "none" },
        protocols: { "bank.transfer.v1": "reject", [LINKED.protocol]: "signature" },
      },
      messages: [
        [SIGNED, true],
        [fromCarol, "sender_refused"],
        [signed({ protocol: "bank.transfer.v1" }), "sender_refused"],
      ],
    }),
  ];
}

function order(): readonly JsonObject[] {
  const did = "did:example:alice";
  const key = `${did}#key`;
  const method = {
    id: key,
    type: "Multikey",
    controller: did,
    publicKeyMultibase: toMultibase(ALICE.publicKeyHex),
  };
  const document = { id: did, verificationMethod: [method], authentication: [key] };
  const genuine = sign({ ...LINKED, sender: did });
  const forge = (change: Partial<Members>): string => toWire({ ...genuine, ...change });
  const forged: readonly (readonly [string, string])[] = [
    [
      forge({
        id: "019b7c72-a0ae-7a00-8000-000000000001",
        timestamp: "2026-01-02T02:04:05.678Z",
      }),
      "expired",
    ],
    [forge({ timestamp: "2026-01-02T04:04:05.678Z" }), "timestamp_mismatch"],
    [forge({ id: "2c5ea4c0-4067-4fe9-8bad-9b1deb4d3b7d" }), "age_unproven"],
    [forge({ replyTo: "c-2" }), "reply_mismatch"],
    [forge({ recipient: CAROL.did }), "recipient_mismatch"],
  ];
  const count = (expected: JsonObject | number): JsonObject => ({
    do: "comm.verifier.resolutions",
    on: "verifier",
    expect: { ok: { count: expected } },
  });
  return [
    toScript(
      {
        slug: "checks-before-resolution",
        title:
          "The sender's DID is not resolved if the age, replyTo or recipient of the message is invalid",
        clauses: ["COMM-POL-17"],
        why:
          "If the DID were resolved first, a forged message could cause a request to any server that its sender member names.",
      },
      { didDocuments: { [did]: document } },
      [
        count(0),
        ...forged.map(([message, reason]) => verify(message, reason)),
        count(0),
        verify(toWire(genuine), true),
        count({ $num: { min: 1 } }),
      ],
    ),
  ];
}

function expirations(): readonly JsonObject[] {
  const publicKeyMultibase = toMultibase(ALICE.publicKeyHex);
  const documentOf = (did: string, expires: string): JsonObject => {
    const method = { id: `${did}#key`, type: "Multikey", controller: did, publicKeyMultibase };
    return { id: did, authentication: [{ ...method, expires }] };
  };
  const [valid, ended] = ["did:example:alice", "did:example:amy"];
  return [
    toCase({
      slug: "key-expires-by-the-clock-of-the-verifier",
      title: "The clock of the verifier decides whether a key has expired",
      clauses: ["COMM-DID-21"],
      why:
        "If the age of a message and the expiration of its key were compared with different clocks, a verifier would reject valid messages or accept expired keys.",
      control: "accepted",
    }, {
      now: "2026-01-02T03:05:00.000Z",
      didDocuments: {
        [valid]: documentOf(valid, "2026-01-02T03:05:00.001Z"),
        [ended]: documentOf(ended, "2026-01-02T03:05:00.000Z"),
      },
      messages: [[signed({ sender: valid }), true], [signed({ sender: ended }), "key_expired"]],
    }),
  ];
}

function ages(): readonly JsonObject[] {
  const v4 = "2c5ea4c0-4067-4fe9-8bad-9b1deb4d3b7d";
  return [
    toCase({
      slug: "age-within-the-window",
      title:
        "A message is accepted if its time is exactly the earliest or the latest permitted time",
      clauses: ["COMM-POL-6"],
      why: "A policy that excludes the limits of its time window would reject valid messages.",
    }, { now: "2026-01-02T03:09:05.678Z", messages: [[SIGNED, true]] }),
    toCase({
      slug: "too-old",
      title: "A message that is older than the policy's maximum age is rejected",
      clauses: ["COMM-POL-6"],
      why: "A replay guard tracks ids for a limited time, so older messages could be replayed.",
      control: "age-within-the-window",
    }, { now: "2026-01-02T03:09:05.679Z", messages: [[SIGNED, "expired"]] }),
    toCase({
      slug: "from-the-future",
      title: "A message is rejected if its time is too far in the future",
      clauses: ["COMM-POL-6"],
      why: "A message from the future could be replayed until its time has passed.",
      control: "accepted",
    }, { now: "2026-01-02T03:03:05.677Z", messages: [[SIGNED, "not_yet_valid"]] }),
    toCase({
      slug: "moved-timestamp",
      title: "A message whose unsigned timestamp was changed to look recent is rejected",
      clauses: ["COMM-POL-7", "COMM-POL-6"],
      why:
        "The signature covers the time in the id but not the timestamp, which an attacker can change.",
      control: "age-within-the-window",
    }, {
      now: "2026-01-02T05:00:00.000Z",
      messages: [
        [toWire({ ...sign(LINKED), timestamp: "2026-01-02T04:59:59.000Z" }), "timestamp_mismatch"],
      ],
    }),
    toCase({
      slug: "timestamp-within-a-second",
      title: "A timestamp may differ from the time in the id by at most one second",
      clauses: ["COMM-POL-7"],
      why: "Some implementations read the clock separately for the id and the timestamp.",
    }, {
      messages: [
        [toWire({ ...sign(LINKED), timestamp: "2026-01-02T03:04:06.678Z" }), true],
        [toWire({ ...sign(LINKED), timestamp: "2026-01-02T03:04:06.679Z" }), "timestamp_mismatch"],
      ],
    }),
    toCase({
      slug: "id-without-a-time",
      title:
        "A message whose id contains no time is rejected if the policy limits the age of messages",
      clauses: ["COMM-POL-11"],
      why: "Without a signed time, the age of the message cannot be verified.",
      control: "accepted",
    }, { messages: [[signed({ id: v4 }), false]] }),
  ];
}

function replyChains(): readonly JsonObject[] {
  const strip = ({ correlationId: _, replyTo: __, ...rest }: Members): Members => rest;
  return [
    toCase({
      slug: "reply-to-is-bound",
      title: "A replyTo that differs from the correlationId is rejected",
      clauses: ["COMM-POL-8"],
      why:
        "The replyTo member is not signed, so an attacker could attach a reply to another message.",
      control: "reply-to-is-equal",
    }, {
      messages: [
        [toWire({ ...sign(LINKED), replyTo: "c-2" }), "reply_mismatch"],
        [toWire({ ...sign(PLAIN), replyTo: "c-2" }), "reply_mismatch"],
      ],
    }),
    toCase({
      slug: "reply-to-is-equal",
      title: "A replyTo that equals the correlationId or is absent is accepted",
      clauses: ["COMM-POL-8"],
      why: "The correlationId is signed, so a replyTo with the same value can be trusted.",
    }, { messages: [[SIGNED, true], [toWire(sign(strip(LINKED))), true]] }),
    toCase({
      slug: "reply-to-is-untrusted",
      title:
        "A policy may accept a replyTo that differs from the correlationId, as an unverified hint",
      clauses: ["COMM-POL-8"],
      why: "In a chain of replies, replyTo may differ from the correlationId.",
    }, {
      policy: { replyTo: "untrusted" },
      messages: [[toWire({ ...sign(LINKED), replyTo: "c-2" }), true]],
    }),
  ];
}

/** Cases in which a policy accepts proofs. */
function proofs(): readonly JsonObject[] {
  const did = "did:example:alice";
  const key = `${did}#key`;
  const publicKeyMultibase = toMultibase(ALICE.publicKeyHex);
  const method = { id: key, type: "Multikey", controller: did, publicKeyMultibase };
  const document = { id: did, verificationMethod: [method], authentication: [key] };
  const { signature: _signature, ...unsigned } = MESSAGE;
  const proven = prove({ ...unsigned, sender: did }, { config: { verificationMethod: key } });
  return [
    toCase({
      slug: "proof-accepted",
      title: "A policy that requires proofs accepts a message with a valid proof",
      clauses: ["COMM-POL-9"],
      why: "A policy that requires proofs must not reject all messages.",
    }, { policy: { require: "proof" }, messages: [[JSON.stringify(prove(unsigned)), true]] }),
    toCase({
      slug: "proof-of-a-resolved-sender",
      title: "A policy that requires proofs resolves the DID of the sender",
      clauses: ["COMM-POL-9"],
      why:
        "A proof from a sender with a did:web can be verified only if the sender's DID is resolved.",
    }, {
      policy: { require: "proof" },
      didDocuments: { [did]: document },
      messages: [[JSON.stringify(proven), true]],
    }),
  ];
}

/** Cases in which time passes between the messages. */
function clocks(): readonly JsonObject[] {
  const needs = { features: ["comm.verifier.clock"] };
  const at = (time: string, lastDigit: number): string =>
    signed({
      id: `${idTime(time)}-7a00-8000-00000000000${lastDigit}`,
      timestamp: time,
    });
  return [
    toScript(
      {
        slug: "replay-later",
        title: "A replay guard detects a replay as long as the message is recent enough",
        clauses: ["COMM-POL-3"],
        needs,
        why: "An attacker can replay a message at any time before the message is too old.",
      },
      { replayGuard: true },
      [
        verify(SIGNED, true, "2026-01-02T03:04:06.000Z"),
        verify(SIGNED, "replay_detected", "2026-01-02T03:06:00.000Z"),
        verify(SIGNED, "replay_detected", "2026-01-02T03:09:05.000Z"),
      ],
    ),
    toScript(
      {
        slug: "guard-has-capacity-again",
        title: "A full replay guard accepts messages again after its entries have expired",
        clauses: ["COMM-POL-12"],
        needs,
        why: "A guard that never releases its entries rejects all messages after some time.",
      },
      { replayStore: { do: "comm.replayStore.new", args: { maxEntries: 1 }, as: "store" } },
      [
        verify(SIGNED, true, "2026-01-02T03:05:00.000Z"),
        verify(at("2026-01-02T03:05:00.000Z", 2), "replay_guard_full"),
        verify(at("2026-01-02T03:30:00.000Z", 3), true, "2026-01-02T03:30:00.000Z"),
      ],
    ),
  ];
}

/** Returns the first two groups of a UUIDv7 with the given time. */
function idTime(time: string): string {
  const hex = Date.parse(time).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** Creates `comm/policy.json`. */
export function makePolicies(): GeneratedArea {
  return {
    area: AREA,
    source:
      "lab/generators/comm_policy.ts: signatures by node:crypto; the id holds 2026-01-02T03:04:05.678Z",
    cases: [
      ...levels(),
      ...replays(),
      ...ages(),
      ...replyChains(),
      ...makeStores(),
      ...makeReservations(),
      ...admissions(),
      ...order(),
      ...expirations(),
      ...makeSettlements(),
      ...clocks(),
      ...proofs(),
    ],
  };
}
