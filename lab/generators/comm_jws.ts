/**
 * Cases for detached signatures of JSON objects (JSON Web Signatures).
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { JsonObject } from "../../conformance/kit/json.ts";
import {
  AREA,
  CARD,
  DIFFICULT,
  DOC_DID,
  DOC_KEY,
  encode,
  type Making,
  refuse,
  RFC,
  sign,
  toCase,
  VALID,
} from "./comm_jws_case.ts";
import { headerCases } from "./comm_jws_headers.ts";
import { encodingCases } from "./comm_jws_encodings.ts";
import { keyCases } from "./comm_jws_keys.ts";
import { canonicalize } from "./comm_proof.ts";
import type { GeneratedArea } from "./generated_area.ts";
import { ALICE, BOB, signText } from "./keys.ts";

/** The object, with its signature. */
const SIGNED = JSON.stringify({ ...CARD, signatures: [VALID] });
const EXCLUDE = { exclude: ["signatures"] };

function validCase(): JsonObject {
  return toCase({
    slug: "valid",
    title: "A detached signature of an object passes verification",
    clauses: ["COMM-JWS-1"],
    why: "Control case: each rejection case in this file adds one defect to this valid input.",
  }, [
    { name: "an object", jws: VALID },
    { name: "reformatted", jws: VALID, value: reformat(CARD) },
    { name: "the empty object", jws: sign({ payload: "{}" }), value: "{}" },
    {
      name: "the value of RFC 8785",
      jws: sign({ payload: DIFFICULT.canonical }),
      value: DIFFICULT.text,
    },
    { name: "an object that contains its signature", jws: VALID, value: SIGNED, args: EXCLUDE },
    { name: "an excluded member that is absent", jws: VALID, args: EXCLUDE },
  ]);
}

/** Objects that differ from the signed object. */
function changedObjects(): readonly (readonly [string, JsonObject])[] {
  const { skills: _left, ...rest } = CARD;
  return [
    ["a changed text", { ...CARD, name: "Zurich" }],
    ["an added member", { ...CARD, iconUrl: "https://example.com" }],
    ["a removed member", rest],
    ["a nested value", { ...CARD, capabilities: { streaming: true, pushNotifications: true } }],
    ["the order of an array", { ...CARD, skills: [{ id: "s", tags: ["a", "b"], limit: 10 }] }],
    ["a number as text", { ...CARD, skills: [{ id: "s", tags: ["b", "a"], limit: "10" }] }],
    ["a member that is null", { ...CARD, iconUrl: null }],
    ["another normalization form", { ...CARD, name: "Zu\u0308rich" }],
    ["the empty object", {}],
  ];
}

function tamperedCase(): JsonObject {
  return toCase({
    slug: "tampered",
    title: "A change to any signed member invalidates the signature",
    clauses: ["COMM-JWS-3", "COMM-JWS-1"],
    why: "An attacker could redirect requests for an agent to another URL.",
    control: "valid",
  }, [
    ...changedObjects().map(([name, value]) => ({
      name,
      jws: VALID,
      value: JSON.stringify(value),
      answer: "signature_invalid",
    })),
    {
      name: "a member that is not excluded",
      jws: VALID,
      value: SIGNED,
      answer: "signature_invalid",
    },
    {
      name: "a nested member with the name of an excluded member",
      jws: VALID,
      value: JSON.stringify({ ...CARD, skills: [{ id: "s", signatures: [] }] }),
      args: EXCLUDE,
      answer: "signature_invalid",
    },
    {
      name: "an excluded member that was signed",
      jws: VALID,
      args: { exclude: ["name"] },
      answer: "signature_invalid",
    },
  ]);
}

function tamperedSignatureCase(): JsonObject {
  return refuse(
    {
      slug: "tampered-signature",
      title: "A change to the header or to the signature invalidates the signature",
      clauses: ["COMM-JWS-3"],
      why: "If the header were not signed, an attacker could change its meaning.",
    },
    "signature_invalid",
    [
      ["a member added to the header", {
        ...VALID,
        protected: sign({ header: { iat: 1 } }).protected,
      }],
      ["the other name of the algorithm", {
        ...VALID,
        protected: sign({ header: { alg: "Ed25519" } }).protected,
      }],
      ["reformatted header", { ...VALID, protected: reformatHeader(VALID.protected) }],
      ["the first bit of the signature", { ...VALID, signature: flipBit(VALID.signature, 0) }],
      ["the last bit of R", { ...VALID, signature: flipBit(VALID.signature, 255) }],
      ["the first bit of S", { ...VALID, signature: flipBit(VALID.signature, 256) }],
      ["S increased by the order of the group", {
        ...VALID,
        signature: addOrder(VALID.signature),
      }],
      ["the signature of another object", {
        ...VALID,
        signature: sign({ payload: "{}" }).signature,
      }],
      ["the signature of the canonical text without encoding", {
        ...VALID,
        signature: signText(ALICE, `${VALID.protected}.${canonicalize(CARD)}`),
      }],
      ["another key", { ...VALID, signature: sign({ signer: BOB }).signature }],
      ["the payload without the header", {
        ...VALID,
        signature: signText(ALICE, encode(canonicalize(CARD))),
      }],
    ],
  );
}

function reformat(value: JsonObject): string {
  return JSON.stringify(Object.fromEntries(Object.entries(value).reverse()), null, 2);
}

function reformatHeader(encoded: string): string {
  return encode(reformat(JSON.parse(Buffer.from(encoded, "base64url").toString())));
}

function flipBit(encoded: string, bit: number): string {
  const bytes = Buffer.from(encoded, "base64url");
  const index = bit >> 3;
  bytes[index] = (bytes[index] ?? 0) ^ (0x80 >> (bit & 7));
  return bytes.toString("base64url");
}

/** Order of the group of Ed25519 (RFC 8032 §5.1). */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

/** Adds the order of the group to S, which a verifier that reduces S does not notice. */
function addOrder(encoded: string): string {
  const bytes = Buffer.from(encoded, "base64url");
  const [r, s] = [bytes.subarray(0, 32), Buffer.from(bytes.subarray(32)).reverse()];
  const sum = (BigInt(`0x${s.toString("hex")}`) + ORDER).toString(16).padStart(64, "0");
  return Buffer.concat([r, Buffer.from(sum, "hex").reverse()]).toString("base64url");
}

function creation(name: string, making: Making, args: JsonObject = {}): JsonObject {
  const input = { valueText: JSON.stringify(CARD), seedHex: ALICE.seedHex, ...args };
  return { name, input, expect: { ok: { jws: { $exact: sign(making) } } } };
}

function createdCase(): JsonObject {
  return {
    id: `${AREA}/created`,
    kind: "vector",
    level: "MUST",
    basis: "decision",
    refs: [RFC],
    needs: { features: ["comm.jws"] },
    op: "comm.jws.sign",
    title: "A created signature has the protected header alg, kid and typ",
    clauses: ["COMM-JWS-2", "COMM-JWS-1"],
    why: "Ed25519 is deterministic, so implementations create equal signatures.",
    rows: [
      creation("a did:key", {}),
      creation("another DID", { header: { kid: DOC_KEY } }, { did: DOC_DID, keyId: DOC_KEY }),
      creation("the value of RFC 8785", { payload: DIFFICULT.canonical }, {
        valueText: DIFFICULT.text,
      }),
      creation("without the excluded members", {}, {
        valueText: JSON.stringify({ signatures: [VALID], ...CARD, x: 1 }),
        exclude: ["signatures", "x", "absent"],
      }),
      creation("with a nested member of the same name", {
        payload: '{"a":{"signatures":1}}',
      }, { valueText: '{"signatures":[],"a":{"signatures":1}}', exclude: ["signatures"] }),
    ],
  };
}

/** Creates the cases of this area. */
export function makeSignatures(): GeneratedArea {
  return {
    area: AREA,
    source:
      "lab/generators/comm_jws.ts: RFC 7515 section 5.1 and RFC 8785 section 3.2.3 by hand, signatures by node:crypto",
    cases: [
      validCase(),
      tamperedCase(),
      tamperedSignatureCase(),
      ...headerCases(),
      ...encodingCases(),
      ...keyCases(),
      createdCase(),
    ],
  };
}
