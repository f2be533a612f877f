/**
 * Messages for the signing cases: the JSON text and the canonical form of each message, written
 * without a library.
 *
 * @module
 */

import type { JsonObject } from "../../conformance/kit/json.ts";
import { type Agent, ALICE, BOB, signText } from "./keys.ts";

/**
 * Members of a message. The payload is JSON text, because parsing and serializing a payload could
 * change it.
 */
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

/** Default message for the cases. */
export const PLAIN: Members = {
  id: "019b7ca9-8f2e-7a00-8000-000000000001",
  sender: ALICE.did,
  recipient: BOB.did,
  protocol: "agent.task.v1",
  messageType: "task_assign",
  payload: "null",
  timestamp: "2026-01-02T03:04:05.678Z",
};

/** The default message as a reply with a payload. */
export const LINKED: Members = {
  ...PLAIN,
  correlationId: "c-1",
  replyTo: "c-1",
  payload: '{"n":1,"text":"Z\u00fcrich"}',
};

/** Formats a message with its members in the order in which the specification lists them. */
export function toWire({ payload, ...members }: Members): string {
  const others = JSON.stringify(members);
  return `${others.slice(0, -1)},"payload":${payload}}`;
}

/**
 * Formats the canonical form that a signature covers (RFC 8785), without a library. Member names
 * are already sorted, the strings contain no characters that must be escaped, and the payload must
 * be in canonical form.
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

/** Signs a message whose payload is in canonical form. */
export function sign(members: Members, signer: Agent = ALICE): Members {
  return { ...members, signature: signText(signer, toSignedForm(members)) };
}

/**
 * Descriptive members of a case. `slug` and `control` are the last parts of case ids in the area.
 */
export interface CaseText {
  readonly slug: string;
  readonly title: string;
  readonly clauses: readonly string[];
  readonly why: string;
  readonly control?: string;
}

/** Creates a case with the members that all cases in the area share. */
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
