/**
 * Cases for the bytes that a signature covers and the signatures that a signer creates.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { JsonObject } from "../../conformance/kit/json.ts";
import type { GeneratedArea } from "./generated_area.ts";
import {
  createCase,
  LINKED,
  type Members,
  PLAIN,
  sign,
  toSignedForm,
  toWire,
} from "./comm_messages.ts";
import { ALICE } from "./keys.ts";

const AREA = "comm/signing";

/** Payloads before and after canonicalization, canonicalized manually according to RFC 8785. */
const PAYLOADS: readonly (readonly [string, string, string])[] = [
  ["members in any order", '{"b":{"d":1,"c":2},"a":3}', '{"a":3,"b":{"c":2,"d":1}}'],
  ["UTF-16 order", '{"\\ufb33":1,"\\ud83d\\ude02":2,"a":3}', '{"a":3,"\ud83d\ude02":2,"\ufb33":1}'],
  ["numbers", "[1.0,1e-07,-0,1E21,4.50]", "[1,1e-7,0,1e+21,4.5]"],
  ["white space", '{ "a" : [ 1 , 2 ] }', '{"a":[1,2]}'],
  ["non-ASCII", '"\\u00e9\\u2028"', '"\u00e9\u2028"'],
  ["slashes", '"https:\\/\\/e.x"', '"https://e.x"'],
  ["composed and decomposed", '["\\u00e9","e\\u0301"]', '["\u00e9","e\u0301"]'],
  ["control characters", '"\\u0007\\n\\u001F"', '"\\u0007\\n\\u001f"'],
  ["a text", '"x"', '"x"'],
  ["a number", "-1.5", "-1.5"],
  ["a boolean", "false", "false"],
];

function toRow(name: string, messageText: string, text: string): JsonObject {
  return { name, input: { messageText }, expect: { ok: { text } } };
}

function covered(): readonly JsonObject[] {
  const plain = toSignedForm(PLAIN);
  const absent = toWire(PLAIN).replace('"sender"', '"correlationId":null,"sender"');
  const reordered = JSON.stringify(
    Object.fromEntries(Object.entries(JSON.parse(toWire(PLAIN))).reverse()),
    null,
    1,
  );
  return [
    createCase(AREA, {
      slug: "minimal",
      title: "A message signature covers six members if correlationId is absent",
      basis: "decision",
      clauses: ["COMM-SIG-3", "COMM-SIG-4"],
      why:
        "Implementations that guess what is signed may sign an array, or null for an absent member, and reject each other's signatures.",
      op: "comm.message.payload",
      rows: [toRow("absent", toWire(PLAIN), plain), toRow("null", absent, plain)],
    }),
    createCase(AREA, {
      slug: "correlation-id",
      title: "A message signature covers the correlationId",
      clauses: ["COMM-SIG-3"],
      why: "If the correlationId were unsigned, a reply could be moved to another request.",
      op: "comm.message.payload",
      input: { messageText: toWire(LINKED) },
      expect: { ok: { text: toSignedForm(LINKED) } },
    }),
    createCase(AREA, {
      slug: "octets",
      title:
        "The signed octets are the UTF-8 encoding of the canonical form, without a prefix or suffix",
      basis: "decision",
      clauses: ["COMM-SIG-3", "COMM-JCS-2"],
      why: "An additional prefix or hash would produce a different signature.",
      op: "comm.message.payload",
      input: { messageText: toWire(LINKED) },
      expect: { ok: { utf8Hex: Buffer.from(toSignedForm(LINKED)).toString("hex") } },
    }),
    createCase(AREA, {
      slug: "not-covered",
      title:
        "A message signature does not cover replyTo, timestamp, the signature itself or unknown members",
      clauses: ["COMM-SIG-6"],
      why:
        "An implementation that signs an additional member would reject every signature from other implementations.",
      op: "comm.message.payload",
      rows: [
        toRow("replyTo", toWire({ ...PLAIN, replyTo: "r-1" }), plain),
        toRow("timestamp", toWire({ ...PLAIN, timestamp: "2030-01-01T00:00:00.000Z" }), plain),
        toRow("signature", toWire({ ...PLAIN, signature: "A".repeat(86) }), plain),
        toRow("unknown member", toWire(PLAIN).replace(/}$/, ',"expiresAt":"x"}'), plain),
      ],
    }),
    createCase(AREA, {
      slug: "order-of-members",
      title:
        "The order of members and the whitespace in the received JSON do not change the signature",
      clauses: ["COMM-SIG-3", "COMM-JCS-3"],
      why: "JSON encoders write members in different orders and with different whitespace.",
      op: "comm.message.payload",
      input: { messageText: reordered },
      expect: { ok: { text: plain } },
    }),
    createCase(AREA, {
      slug: "canonical-payload",
      title: "A message signature covers the canonical form of the payload",
      clauses: ["COMM-SIG-3", "COMM-JCS-4", "COMM-JCS-6"],
      why:
        "Encoders write the same payload in different forms, which would invalidate a signature over one form.",
      op: "comm.message.payload",
      rows: PAYLOADS.map(([name, payload, canonical]) =>
        toRow(name, toWire({ ...PLAIN, payload }), toSignedForm({ ...PLAIN, payload: canonical }))
      ),
    }),
    createCase(AREA, {
      slug: "unsafe-integer",
      title:
        "Signing fails if the payload contains an integer that a double cannot represent exactly",
      basis: "decision",
      clauses: ["COMM-JSON-7"],
      why: "After rounding, the signature would cover a different number.",
      control: `${AREA}/canonical-payload`,
      op: "comm.message.payload",
      input: { messageText: toWire({ ...PLAIN, payload: "9007199254740993" }) },
      expect: { error: {} },
    }),
  ];
}

function signing(): readonly JsonObject[] {
  const seedHex = ALICE.seedHex;
  const row = (name: string, members: Members): JsonObject => ({
    name,
    input: { messageText: toWire(members), seedHex },
    expect: { ok: { message: { signature: sign(members).signature ?? "" } } },
  });
  return [
    createCase(AREA, {
      slug: "signature-text",
      title: "A signature is 86 characters of base64url without padding",
      basis: "decision",
      clauses: ["COMM-SIG-7"],
      refs: ["https://www.rfc-editor.org/rfc/rfc4648#section-5"],
      why: "Receivers reject every other signature encoding.",
      op: "comm.message.sign",
      input: { messageText: toWire(PLAIN), seedHex },
      expect: { ok: { message: { signature: { $re: "^[A-Za-z0-9_-]{85}[AQgw]$" } } } },
    }),
    createCase(AREA, {
      slug: "signature-is-deterministic",
      title: "The signature of a message is equal to the deterministic RFC 8032 signature",
      level: "SHOULD",
      basis: "rfc8032",
      clauses: ["COMM-SIG-18"],
      refs: ["https://www.rfc-editor.org/rfc/rfc8032#section-5.1.6"],
      why:
        "A nonce that is not derived from the key and the message may repeat, and two signatures with the same nonce reveal the key. " +
        "Signatures with additional randomness are also safe, so this case accepts them.",
      op: "comm.message.sign",
      rows: [row("minimal", PLAIN), row("linked", LINKED)],
    }),
    createCase(AREA, {
      slug: "signing-changes-nothing-else",
      title: "Signing a message adds a signature and changes no other member",
      clauses: ["COMM-SIG-7", "COMM-JSON-2"],
      why:
        "A signer that changes members other than the signature signs data that its caller did not write.",
      op: "comm.message.sign",
      input: { messageText: toWire(LINKED), seedHex },
      expect: {
        ok: {
          message: { $exact: { ...JSON.parse(toWire(LINKED)), signature: { $type: "string" } } },
        },
      },
    }),
  ];
}

/** Creates `comm/signing.json`. */
export function makeSigning(): GeneratedArea {
  return {
    area: AREA,
    source:
      "lab/generators/comm_signing.ts: signed forms by hand from RFC 8785, signatures by node:crypto",
    cases: [...covered(), ...signing()],
  };
}
