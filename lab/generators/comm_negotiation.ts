/**
 * Cases for offers and acceptances in signed messages.
 *
 * @module
 */

import type { JsonObject } from "../../conformance/kit/json.ts";
import type { GeneratedArea } from "./generated_area.ts";
import { sign, toWire } from "./comm_messages.ts";
import { makeFreshness } from "./comm_negotiation_freshness.ts";
import {
  ACCEPT,
  accept,
  acceptPayload,
  answering,
  AREA,
  NOW,
  OFFER,
  offer,
  OFFER_ID,
  offerPayload,
  reading,
  SIGNED_OFFER,
  TIME,
} from "./comm_negotiation_messages.ts";
import { type Agent, ALICE, BOB, CAROL, toMultibase } from "./keys.ts";

function answers(): readonly JsonObject[] {
  return [
    answering({
      slug: "answer",
      title: "A responder accepts a signed offer with a signed acceptance",
      clauses: ["COMM-NEG-10", "COMM-NEG-1"],
      why: "Control case: each rejection case in this file adds one defect to this valid input.",
    }, [["the first protocol that bob supports", SIGNED_OFFER, {
      ok: {
        message: {
          correlationId: OFFER_ID,
          replyTo: OFFER_ID,
          sender: BOB.did,
          recipient: ALICE.did,
          protocol: "parley.negotiation.v1",
          messageType: "accept",
          payload: {
            $exact: {
              accepterDid: BOB.did,
              selectedProtocol: "agent.task.v1",
              timestamp: { $time: true },
            },
          },
          signature: { $re: "^[A-Za-z0-9_-]{86}$" },
        },
      },
    }]]),
    answering({
      slug: "answer-nothing-in-common",
      title:
        "A responder rejects a signed offer that contains only protocols that it does not support",
      clauses: ["COMM-NEG-3"],
      why: "The responder has no supported protocol to select.",
      control: "answer",
    }, [[
      "another protocol",
      offer({ payload: offerPayload(["agent.vote.v1"]) }),
      { error: { code: "no_common_protocol" } },
    ]]),
    answering({
      slug: "offer-not-verified",
      title: "A responder rejects a signed offer that fails verification",
      clauses: ["COMM-NEG-12"],
      why: "An attacker could have removed the stronger protocols from the offer.",
      control: "answer",
    }, [
      ["unsigned", toWire(OFFER)],
      ["changed", toWire({ ...sign(OFFER), payload: offerPayload(["agent.task.v1"]) })],
      ["signed by another agent", offer({}, CAROL)],
    ]),
    answering({
      slug: "offer-for-another",
      title: "A responder rejects a signed offer that is addressed to another agent",
      clauses: ["COMM-NEG-12"],
      why: "The offerer would receive an acceptance from an agent that it did not contact.",
      control: "answer",
    }, [["carol", offer({ recipient: CAROL.did })]]),
    answering({
      slug: "offer-of-another",
      title: "A responder rejects an offer whose offererDid is not its sender",
      clauses: ["COMM-NEG-12"],
      why: "If offererDid could differ from the sender, one agent could impersonate another.",
      control: "answer",
    }, [["carol", offer({ payload: offerPayload(["agent.task.v1"], CAROL.did) })]]),
    answering({
      slug: "no-offer",
      title: "A responder rejects a signed message that is not an offer",
      clauses: ["COMM-NEG-10"],
      why: "A responder must not accept a message that contains no offer.",
      control: "answer",
    }, [
      ["another protocol", offer({ protocol: "agent.task.v1" })],
      ["another type", offer({ messageType: "accept" })],
      ["no object", offer({ payload: JSON.stringify(offerPayload(["agent.task.v1"])) })],
      [
        "no time",
        offer({ payload: offerPayload(["agent.task.v1"]).replace(/,"timestamp":"[^"]*"/, "") }),
      ],
      ["no list", offer({ payload: offerPayload([]).replace("[]", '"agent.task.v1"') })],
      ["an empty identifier", offer({ payload: offerPayload(["", "agent.task.v1"]) })],
    ]),
  ];
}

function accepts(): readonly JsonObject[] {
  const selected = (selectedProtocol: string): JsonObject => ({
    ok: {
      accept: { $exact: { accepterDid: BOB.did, selectedProtocol, timestamp: TIME } },
    },
  });
  return [
    reading({
      slug: "read",
      title: "An acceptance that names an offered protocol is valid",
      clauses: ["COMM-NEG-8", "COMM-NEG-10"],
      why: "Control case: each rejection case in this file adds one defect to this valid input.",
    }, [
      ["the second protocol of the offer", accept({}), selected("agent.task.v1")],
      [
        "the first protocol of the offer",
        accept({ payload: acceptPayload("agent.task.v2") }),
        selected("agent.task.v2"),
      ],
    ]),
    reading({
      slug: "not-offered",
      title: "An offerer rejects an acceptance of a protocol that it did not offer",
      clauses: ["COMM-NEG-8"],
      why: "The responder could downgrade the conversation to a weaker protocol.",
      control: "read",
    }, [
      ["another protocol", accept({ payload: acceptPayload("agent.chat.v1") })],
      ["another version", accept({ payload: acceptPayload("agent.task.v3") })],
      ["another case", accept({ payload: acceptPayload("Agent.Task.v1") })],
      [
        "the beginning of an offered identifier",
        accept({ payload: acceptPayload("agent.task.v") }),
      ],
    ]),
    reading({
      slug: "accept-of-another",
      title: "An offerer rejects an acceptance from an agent other than the recipient of the offer",
      clauses: ["COMM-NEG-11"],
      why: "If the sender were not checked, any agent that sees the offer could accept it.",
      control: "read",
    }, [[
      "carol",
      accept({ sender: CAROL.did, payload: acceptPayload("agent.task.v1", CAROL.did) }, CAROL),
    ]]),
    reading({
      slug: "accept-of-another-offer",
      title: "An offerer rejects an acceptance of a different offer",
      clauses: ["COMM-NEG-11"],
      why: "An old acceptance could be replayed for a new offer.",
      control: "read",
    }, [
      ["another correlationId", accept({ correlationId: "019b7ca9-8f2e-7a00-8000-000000000009" })],
      ["no correlationId", withoutCorrelation()],
    ]),
    reading({
      slug: "accept-for-another",
      title: "An offerer rejects an acceptance with a wrong accepterDid or recipient",
      clauses: ["COMM-NEG-11"],
      why: "If the DIDs were not compared, one agent could accept on behalf of another.",
      control: "read",
    }, [
      ["accepterDid", accept({ payload: acceptPayload("agent.task.v1", CAROL.did) })],
      ["recipient", accept({ recipient: CAROL.did })],
    ]),
    reading({
      slug: "accept-not-verified",
      title: "An offerer rejects a signed acceptance that fails verification",
      clauses: ["COMM-NEG-11"],
      why: "An acceptance that fails verification may have been written by an attacker.",
      control: "read",
    }, [
      ["unsigned", toWire(ACCEPT)],
      ["changed", toWire({ ...sign(ACCEPT, BOB), payload: acceptPayload("agent.task.v2") })],
      ["signed by another agent", accept({}, CAROL)],
    ]),
    reading({
      slug: "no-accept",
      title: "An offerer rejects a signed reply that is not an acceptance",
      clauses: ["COMM-NEG-10"],
      why: "A reply that is not an acceptance does not select a protocol.",
      control: "read",
    }, [
      ["another protocol", accept({ protocol: "agent.task.v1" })],
      ["another type", accept({ messageType: "offer" })],
      ["no object", accept({ payload: JSON.stringify(ACCEPT.payload) })],
      ["no time", accept({ payload: ACCEPT.payload.replace(/,"timestamp":"[^"]*"/, "") })],
    ]),
  ];
}

function withoutCorrelation(): string {
  const { correlationId: _left, ...rest } = ACCEPT;
  return toWire(sign(rest, BOB));
}

/** Creates a case in which one implementation accepts an offer and verifies the acceptance. */
function bothSides(): JsonObject {
  return {
    id: `${AREA}/both-sides`,
    kind: "script",
    level: "MUST",
    basis: "decision",
    title: "The offerer verifies the acceptance that the responder created",
    clauses: ["COMM-NEG-10"],
    why: "Two agents that cannot agree on a protocol cannot communicate.",
    steps: [
      {
        do: "comm.negotiation.answer",
        args: {
          messageText: SIGNED_OFFER,
          supported: ["agent.task.v1"],
          seedHex: BOB.seedHex,
          now: NOW,
        },
        expect: { ok: { message: { $capture: "answer" } } },
      },
      {
        do: "comm.negotiation.read",
        // The acceptance is from the time of the run.
        args: { offerText: SIGNED_OFFER, answer: { $ref: "answer" } },
        expect: { ok: { accept: { accepterDid: BOB.did, selectedProtocol: "agent.task.v1" } } },
      },
    ],
  };
}

/** Creates a DID document that publishes an agent's key under the given DID. */
function documentOf({ publicKeyHex }: Agent, did: string): JsonObject {
  const id = `${did}#key`;
  const publicKeyMultibase = toMultibase(publicKeyHex);
  return {
    [did]: {
      id: did,
      verificationMethod: [{ id, type: "Multikey", controller: did, publicKeyMultibase }],
      authentication: [id],
    },
  };
}

/** Creates cases that require resolving a DID other than a did:key. */
function resolved(): readonly JsonObject[] {
  const needs = { features: ["comm.negotiation.resolver"] };
  const [ann, bob] = ["did:example:ann", "did:example:bob"];
  return [
    {
      ...answering({
        slug: "resolved-sender",
        title: "A responder resolves the offerer's DID with its caller's resolver",
        clauses: ["COMM-NEG-12"],
        why: "Without a resolver, a responder could not accept offers from agents with a did:web.",
      }, []),
      needs,
      rows: [{
        name: "a DID of another method",
        input: {
          messageText: offer({ sender: ann, payload: offerPayload(["agent.task.v1"], ann) }),
          supported: ["agent.task.v1"],
          seedHex: BOB.seedHex,
          now: NOW,
          didDocuments: documentOf(ALICE, ann),
        },
        expect: { ok: { message: { sender: BOB.did, recipient: ann, messageType: "accept" } } },
      }],
    },
    {
      ...reading({
        slug: "resolved-accepter",
        title: "An offerer resolves the accepter's DID with its caller's resolver",
        clauses: ["COMM-NEG-11"],
        why:
          "Without a resolver, an offerer could not verify acceptances from agents with a did:web.",
      }, []),
      needs,
      rows: [{
        name: "a DID of another method",
        input: {
          offerText: offer({ recipient: bob }),
          answerText: accept({ sender: bob, payload: acceptPayload("agent.task.v1", bob) }),
          now: NOW,
          didDocuments: documentOf(BOB, bob),
        },
        expect: { ok: { accept: { accepterDid: bob, selectedProtocol: "agent.task.v1" } } },
      }],
    },
  ];
}

/** Creates `comm/signed_negotiation.json`. */
export function makeNegotiations(): GeneratedArea {
  return {
    area: AREA,
    source:
      "lab/generators/comm_negotiation.ts: the rules of the specification by hand, signatures by node:crypto",
    cases: [...answers(), ...accepts(), bothSides(), ...resolved(), ...makeFreshness()],
  };
}
