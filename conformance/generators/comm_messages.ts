/**
 * Messages of the signing cases: as they are on the wire, and their signed form written out by hand.
 *
 * @module
 */

import type { JsonObject } from "../kit/json.ts";
import { type Agent, ALICE, BOB, signText } from "./keys.ts";

/** The members of a message; the payload is JSON text, so that it may hold what a JSON parser would change. */
export interface Members {
  readonly id: string;
  readonly correlationId?: string;
  readonly replyTo?: string;
  readonly sender: string;
  readonly recipient: string;
  readonly protocol: string;
  readonly messageType: string;
  readonly payload: string;
  readonly signature?: string;
  readonly timestamp: string;
}

/** The plain message of the cases. */
export const PLAIN: Members = {
  id: "019b7ca9-8f2e-7a00-8000-000000000001",
  sender: ALICE.did,
  recipient: BOB.did,
  protocol: "agent.task.v1",
  messageType: "task_assign",
  payload: "null",
  timestamp: "2026-01-02T03:04:05.678Z",
};

/** The same as an answer, with a payload. */
export const LINKED: Members = {
  ...PLAIN,
  correlationId: "c-1",
  replyTo: "c-1",
  payload: '{"n":1,"text":"Z\u00fcrich"}',
};

/** The wire text of a message, members in the order of the specification. */
export function toWire({ payload, ...members }: Members): string {
  const others = JSON.stringify(members);
  return `${others.slice(0, -1)},"payload":${payload}}`;
}

/**
 * The form that a signature covers: RFC 8785, by hand. The names are in their order; none of the texts used here holds
 * a character that needs an escape; the payload has to be given in canonical form.
 */
export function toSignedForm(members: Members): string {
  const { id, correlationId, sender, recipient, protocol, messageType, payload } = members;
  return [
    "{",
    correlationId === undefined ? "" : `"correlationId":"${correlationId}",`,
    `"id":"${id}",`,
    `"messageType":"${messageType}",`,
    `"payload":${payload},`,
    `"protocol":"${protocol}",`,
    `"recipient":"${recipient}",`,
    `"sender":"${sender}"`,
    "}",
  ].join("");
}

/** A message signed by its sender, whose payload is given in canonical form. */
export function sign(members: Members, signer: Agent = ALICE): Members {
  return { ...members, signature: signText(signer, toSignedForm(members)) };
}

/** What a case says of itself; `slug` and `control` are the ends of ids in its own area. */
export interface CaseText {
  readonly slug: string;
  readonly title: string;
  readonly clauses: readonly string[];
  readonly why: string;
  readonly catches?: readonly string[];
  readonly control?: string;
}

/** What the cases of one area have in common. */
export function createCase(area: string, rest: JsonObject): JsonObject {
  const { slug, ...members } = rest;
  return {
    id: `${area}/${String(slug)}`,
    kind: "vector",
    level: "MUST",
    basis: "spec",
    ...members,
  };
}
