/**
 * Cases for the encoding of signatures of JSON objects.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { JsonObject, JsonValue } from "../../conformance/kit/json.ts";
import { CARD, encode, KEY_ID, refuse, RFC, sign, toCase, VALID } from "./comm_jws_case.ts";
import { canonicalize, keyIdOf } from "./comm_proof.ts";
import { BOB } from "./keys.ts";

function headerOf(encodedHeader: string): ReturnType<typeof sign> {
  return sign({ encodedHeader });
}

/** A signature whose protected header has the given number of characters. */
function withLength(chars: number): ReturnType<typeof sign> {
  const base = canonicalize({ alg: "EdDSA", kid: KEY_ID, x: "" });
  const filler = "x".repeat(Math.floor(chars * 3 / 4) - base.length);
  return sign({ headerText: base.replace('"x":""', `"x":"${filler}"`) });
}

/** Headers with two members of the same name. */
const TWICE = `{"alg":"none","alg":"EdDSA","kid":"${KEY_ID}","typ":"JOSE"}`;
const NESTED_TWICE = `{"alg":"EdDSA","kid":"${KEY_ID}","x":{"a":1,"a":2}}`;

function ambiguousHeaders(): JsonObject {
  return refuse(
    {
      slug: "ambiguous-header",
      title: "A protected header that other parsers read differently is rejected",
      clauses: ["COMM-JWS-8"],
      refs: [`${RFC}#section-4`],
      why: "One parser would read the algorithm of the first member, another that of the last.",
    },
    "signature_malformed",
    [
      ["two members with the same name", sign({ headerText: TWICE })],
      ["two nested members with the same name", sign({ headerText: NESTED_TWICE })],
      ["an array", sign({ headerText: "[]" })],
      ["null", sign({ headerText: "null" })],
      ["empty", headerOf("")],
      ["not JSON", sign({ headerText: `{alg:"EdDSA",kid:"${KEY_ID}"}` })],
      ["text after the object", sign({ headerText: `${canonicalize({ alg: "EdDSA" })}{}` })],
      [
        "not UTF-8",
        headerOf(Buffer.from('{"alg":"EdDSA","x":"\xff"}', "latin1").toString("base64url")),
      ],
      ["a byte order mark", sign({ headerText: `\ufeff{"alg":"EdDSA","kid":"${KEY_ID}"}` })],
    ],
  );
}

/** A header of 1 byte more than a multiple of 3, whose base64 form ends with padding. */
const PADDED = [0, 1, 2].map((length) => sign({ header: { x: "x".repeat(length) } }))
  .find((each) => each.protected.length % 4 === 2) ?? VALID;

function otherEncodings(): JsonObject {
  return refuse(
    {
      slug: "other-encodings",
      title: "Headers and signatures in another encoding are rejected",
      clauses: ["COMM-JWS-8"],
      refs: [`${RFC}#section-2`],
      why: "If one signature has several forms, comparing their texts cannot detect copies.",
    },
    "signature_malformed",
    [
      ["padding after the header", headerOf(`${PADDED.protected}==`)],
      ["a space in the header", headerOf(`${VALID.protected} `)],
      ["a line feed in the header", headerOf(`${VALID.protected}\n`)],
      [
        "base64 in the header",
        headerOf(toBase64(sign({ header: { x: "\u00ff\u00ff\u00ff>>>???" } }).protected)),
      ],
      ["padding after the signature", { ...VALID, signature: `${VALID.signature}==` }],
      ["bits after the signature", { ...VALID, signature: withTrailingBit(VALID.signature) }],
      ["a space after the signature", { ...VALID, signature: `${VALID.signature} ` }],
      ["63 bytes", { ...VALID, signature: VALID.signature.slice(0, 84) }],
      ["65 bytes", { ...VALID, signature: `${VALID.signature.slice(0, 84)}AAA` }],
      ["an empty signature", { ...VALID, signature: "" }],
      ["hexadecimal", {
        ...VALID,
        signature: Buffer.from(VALID.signature, "base64url").toString("hex"),
      }],
    ],
  );
}

function headerLengths(): JsonObject {
  return toCase({
    slug: "header-length",
    title: "A protected header has at most 8,192 characters",
    clauses: ["COMM-JWS-9"],
    why: "The header is parsed before its author is known.",
  }, [
    { name: "8192 characters", jws: withLength(8192) },
    { name: "8194 characters", jws: withLength(8194), answer: "signature_malformed" },
  ]);
}

function notDetached(): JsonObject {
  return refuse(
    {
      slug: "not-detached",
      title: "A value that is not a detached signature is rejected",
      clauses: ["COMM-JWS-1"],
      refs: [`${RFC}#section-7.2`],
      why: "A program could read the payload of the signature instead of the object.",
    },
    "signature_malformed",
    [
      ["null", null],
      ["a text", `${VALID.protected}..${VALID.signature}`],
      ["an array", [VALID]],
      ["the empty object", {}],
      ["no protected header", { signature: VALID.signature }],
      ["no signature", { protected: VALID.protected }],
      ["a signature that is not a text", { ...VALID, signature: 1 }],
      ["a protected header that is an object", { ...VALID, protected: { alg: "EdDSA" } }],
      ["a payload", { ...VALID, payload: encode(canonicalize(CARD)) }],
      ["an empty payload", { ...VALID, payload: "" }],
      ["several signatures", { ...VALID, signatures: [VALID] }],
    ],
  );
}

function unprotectedHeaders(): JsonObject {
  return toCase({
    slug: "unprotected-header",
    title: "The unprotected header is an object, and its members are not used",
    clauses: ["COMM-JWS-10"],
    refs: [`${RFC}#section-4`],
    why: "This header is not signed, so an intermediary can change it.",
  }, [
    { name: "empty", jws: { ...VALID, header: {} } },
    { name: "other members", jws: { ...VALID, header: { jku: "https://example.com/keys" } } },
    ...[
      ["null", null],
      ["an array", []],
      ["a text", "{}"],
      ["the algorithm again", { alg: "EdDSA" }],
      ["another key id", { kid: keyIdOf(BOB.did) }],
      ["the type again", { typ: "JOSE" }],
      ["crit", { crit: ["x"], x: 1 }],
    ].map(([name, header]) => ({
      name: String(name),
      jws: { ...VALID, header: header as JsonValue },
      answer: "signature_malformed",
    })),
  ]);
}

/** Creates the cases. */
export function encodingCases(): readonly JsonObject[] {
  return [
    ambiguousHeaders(),
    otherEncodings(),
    headerLengths(),
    notDetached(),
    unprotectedHeaders(),
  ];
}

function toBase64(encoded: string): string {
  const text = Buffer.from(encoded, "base64url").toString("base64").replaceAll("=", "");
  if (text === encoded) throw new Error("the encodings do not differ");
  return text;
}

/** Sets a bit after the last byte, which some decoders ignore. */
function withTrailingBit(encoded: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = alphabet.indexOf(encoded.slice(-1));
  return encoded.slice(0, -1) + alphabet.charAt(last | 1);
}
