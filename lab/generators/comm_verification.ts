/**
 * Cases for valid and invalid signed messages.
 *
 * @module
 */

import type { JsonObject } from "../../conformance/kit/json.ts";
import type { GeneratedArea } from "./generated_area.ts";
import { createCase, LINKED, PLAIN, sign, toWire } from "./comm_messages.ts";
import { documentCases, methodCases } from "./comm_sender_keys.ts";
import { verdictCases } from "./comm_verdicts.ts";
import { signatureTextCases, wrongSignatureCases } from "./comm_wrong_signatures.ts";
import { ALICE, BOB, CAROL } from "./keys.ts";
import { accept, AREA, refuse, type Row, SIGNATURE, SIGNED, tamper } from "./verification_case.ts";

function plainCases(): readonly JsonObject[] {
  const withoutCorrelation = sign(PLAIN);
  return [
    accept({
      slug: "did-key",
      title: "A message signed by its sender passes verification",
      clauses: ["COMM-SIG-1", "COMM-SIG-10"],
      why: "Control case: each rejection case in this file adds one defect to this valid input.",
    }, [
      ["without correlationId", toWire(withoutCorrelation)],
      ["with correlationId", toWire(SIGNED)],
      ["from bob to alice", toWire(sign({ ...PLAIN, sender: BOB.did, recipient: ALICE.did }, BOB))],
    ]),
    accept({
      slug: "wire-form-does-not-matter",
      title: "Member order, whitespace and escapes do not invalidate a signature",
      clauses: ["COMM-SIG-3", "COMM-JSON-17"],
      why: "A broker that serializes the message again must not invalidate the signature.",
    }, [
      ["indented", JSON.stringify(JSON.parse(toWire(SIGNED)), null, 2)],
      ["escaped", toWire(SIGNED).replace("task_assign", "\\u0074ask_assign")],
      ["null for an absent member", toWire(withoutCorrelation).replace(/}$/, ',"replyTo":null}')],
      [
        "correlationId null",
        toWire(withoutCorrelation).replace(/}$/, ',"correlationId":null}'),
      ],
    ]),
    accept({
      slug: "not-covered",
      title:
        "A change to an unsigned member (replyTo, timestamp or an unknown member) does not invalidate a signature",
      clauses: ["COMM-SIG-6"],
      why:
        "Other implementations do not sign replyTo and timestamp, so a verifier that includes them rejects their messages.",
    }, [
      ["replyTo changed", tamper({ replyTo: "r-2" })],
      ["replyTo added", toWire({ ...sign(PLAIN), replyTo: "r-2" })],
      ["timestamp changed", tamper({ timestamp: "2030-01-01T00:00:00Z" })],
      ["unknown member", toWire(SIGNED).replace(/}$/, ',"x":1}')],
    ]),
    refuse({
      slug: "unsigned",
      title: "A message without a signature fails verification",
      clauses: ["COMM-SIG-9"],
      why: "An attacker could remove the signature to bypass verification.",
    }, [
      ["absent", toWire(LINKED)],
      ["null", toWire(LINKED).replace(/}$/, ',"signature":null}')],
    ]),
  ];
}

function tamperedCases(): readonly JsonObject[] {
  const change = (
    slug: string,
    what: string,
    why: string,
    rows: readonly Row[],
  ): JsonObject =>
    refuse({
      slug: `tampered-${slug}`,
      title: `A message with a changed ${what} fails verification`,
      clauses: ["COMM-SIG-5"],
      why,
    }, rows);
  return [
    change(
      "id",
      "id",
      "If the id could be changed without invalidating the signature, a message could be processed twice.",
      [
        ["changed", tamper({ id: "019b7ca9-8f2e-7a00-8000-000000000002" })],
        ["upper case", tamper({ id: PLAIN.id.toUpperCase() })],
      ],
    ),
    change(
      "correlation-id",
      "correlationId",
      "If the correlationId could be changed without invalidating the signature, a reply could be moved to another request.",
      [
        ["changed", tamper({ correlationId: "c-2" })],
        ["removed", toWire(sign(LINKED)).replace('"correlationId":"c-1",', "")],
        ["added", tamper({ correlationId: "c-1" }, PLAIN)],
      ],
    ),
    change(
      "sender",
      "sender",
      "If the sender could be changed without invalidating the signature, a message could be attributed to another agent.",
      [
        ["bob", tamper({ sender: BOB.did })],
        ["carol", tamper({ sender: CAROL.did })],
      ],
    ),
    change(
      "recipient",
      "recipient",
      "If the recipient could be changed without invalidating the signature, an order for one agent could be sent to another.",
      [
        ["carol", tamper({ recipient: CAROL.did })],
      ],
    ),
    change(
      "protocol",
      "protocol",
      "The same message type may have a different meaning in another protocol.",
      [
        ["other version", tamper({ protocol: "agent.task.v2" })],
      ],
    ),
    change(
      "message-type",
      "messageType",
      "If the messageType could be changed without invalidating the signature, a result could be turned into an order.",
      [
        ["other type", tamper({ messageType: "task_result" })],
      ],
    ),
    change(
      "payload",
      "payload",
      "If the payload could be changed without invalidating the signature, an attacker could make the agent perform any action.",
      [
        ["value", tamper({ payload: '{"n":2,"text":"Z\u00fcrich"}' })],
        ["type", tamper({ payload: '{"n":"1","text":"Z\u00fcrich"}' })],
        ["member added", tamper({ payload: '{"n":1,"text":"Z\u00fcrich","x":null}' })],
        ["member removed", tamper({ payload: '{"n":1}' })],
        ["normalized", tamper({ payload: '{"n":1,"text":"Zu\u0308rich"}' })],
        ["null", tamper({ payload: "null" })],
      ],
    ),
  ];
}

/** Cases for the error code of a failed verification. */
function reasonCases(): readonly JsonObject[] {
  const row = (reason: string, messageText: string): JsonObject => ({
    name: reason,
    input: { messageText },
    expect: { ok: { valid: false, reason } },
  });
  return [createCase(AREA, {
    slug: "reasons",
    title: "Different reasons for a failed verification have different error codes",
    basis: "decision",
    clauses: ["COMM-ERR-2", "COMM-ERR-1"],
    why:
      "Callers react differently to each reason for a failed verification, for example by requesting the message again or reporting an attack.",
    control: `${AREA}/did-key`,
    op: "comm.message.verify",
    rows: [
      row("signature_missing", toWire(LINKED)),
      row("signature_malformed", toWire({ ...SIGNED, signature: `${SIGNATURE}==` })),
      row("signature_invalid", tamper({ payload: "null" })),
      row("did_method_unsupported", toWire(sign({ ...LINKED, sender: "did:unknown:alice" }))),
    ],
  })];
}

/** Creates `comm/verification.json`. */
export function makeVerification(): GeneratedArea {
  return {
    area: AREA,
    source:
      "lab/generators/comm_verification.ts: signed forms written by hand according to RFC 8785, signatures created with node:crypto",
    cases: [
      ...plainCases(),
      ...tamperedCases(),
      ...signatureTextCases(),
      ...wrongSignatureCases(),
      ...documentCases(),
      ...methodCases(),
      ...reasonCases(),
      ...verdictCases(),
    ],
  };
}
