/**
 * Offers and acceptances for the cases about signed negotiation.
 *
 * @module
 */

import type { JsonObject } from "../../conformance/kit/json.ts";
import { type CaseText, type Members, sign, toWire } from "./comm_messages.ts";
import { type Agent, ALICE, BOB } from "./keys.ts";

export const AREA = "comm/signed-negotiation";
export const TIME = "2026-01-02T03:04:05.678Z";
/** Time of the clock of the agent that receives a message. */
export const NOW = "2026-01-02T03:05:00.000Z";
export const OFFER_ID = "019b7ca9-8f2e-7a00-8000-000000000001";

/** Payload of Alice's offer, with its members in canonical order. */
export function offerPayload(protocols: readonly string[], offererDid: string = ALICE.did): string {
  return JSON.stringify({ offererDid, protocols, timestamp: TIME });
}

export function acceptPayload(selectedProtocol: string, accepterDid: string = BOB.did): string {
  return JSON.stringify({ accepterDid, selectedProtocol, timestamp: TIME });
}

export const OFFER: Members = {
  id: OFFER_ID,
  sender: ALICE.did,
  recipient: BOB.did,
  protocol: "parley.negotiation.v1",
  messageType: "offer",
  payload: offerPayload(["agent.task.v2", "agent.task.v1"]),
  timestamp: TIME,
};

export const ACCEPT: Members = {
  id: "019b7ca9-8f2e-7a00-8000-000000000002",
  correlationId: OFFER_ID,
  replyTo: OFFER_ID,
  sender: BOB.did,
  recipient: ALICE.did,
  protocol: "parley.negotiation.v1",
  messageType: "accept",
  payload: acceptPayload("agent.task.v1"),
  timestamp: TIME,
};

export const SIGNED_OFFER: string = toWire(sign(OFFER));

export function offer(change: Partial<Members>, signer: Agent = ALICE): string {
  return toWire(sign({ ...OFFER, ...change }, signer));
}

export function accept(change: Partial<Members>, signer: Agent = BOB): string {
  return toWire(sign({ ...ACCEPT, ...change }, signer));
}

export type Row = readonly [name: string, text: string, expect?: JsonObject];

export function toCase(text: CaseText, op: string, rows: readonly JsonObject[]): JsonObject {
  const { slug, control, ...rest } = text;
  return {
    id: `${AREA}/${slug}`,
    kind: "vector",
    level: "MUST",
    basis: "decision",
    ...rest,
    ...(control === undefined ? {} : { control: `${AREA}/${control}` }),
    op,
    rows,
  };
}

/** Creates a case in which Bob, who supports two protocols, processes an offer. */
export function answering(text: CaseText, rows: readonly Row[]): JsonObject {
  const supported = ["agent.chat.v1", "agent.task.v1"];
  return toCase(
    text,
    "comm.negotiation.answer",
    rows.map(([name, messageText, expect = { error: {} }]) => ({
      name,
      input: { messageText, supported, seedHex: BOB.seedHex, now: NOW },
      expect,
    })),
  );
}

/** Creates a case in which Alice verifies the response to her offer. */
export function reading(text: CaseText, rows: readonly Row[]): JsonObject {
  return toCase(
    text,
    "comm.negotiation.read",
    rows.map(([name, answerText, expect = { error: {} }]) => ({
      name,
      input: { offerText: SIGNED_OFFER, answerText, now: NOW },
      expect,
    })),
  );
}
