/**
 * Signatures of JSON objects, and functions that create cases for them.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { JsonObject, JsonValue } from "../../conformance/kit/json.ts";
import { canonicalize, keyIdOf } from "./comm_proof.ts";
import { type Agent, ALICE, signText } from "./keys.ts";

/** Prefix of the ids of the cases. */
export const AREA = "comm/jws";
/** RFC 7515. */
export const RFC = "https://www.rfc-editor.org/rfc/rfc7515";
/** A DID whose keys are published only in its document. */
export const DOC_DID: string = "did:example:alice";
/** The key in the document of that DID. */
export const DOC_KEY: string = `${DOC_DID}#key`;
/** Id of the key that signs. */
export const KEY_ID: string = keyIdOf(ALICE.did);

/** An object to sign, with the member that contains its signatures in an agent card. */
export const CARD: JsonObject = {
  name: "Z\u00fcrich",
  version: "1.0.0",
  skills: [{ id: "s", tags: ["b", "a"], limit: 10 }],
  capabilities: { streaming: true, pushNotifications: false },
};

/**
 * The value and the canonical form of RFC 8785 §3.2.2 and §3.2.3, and member names that other
 * orders than that of UTF-16 code units sort differently.
 */
export const DIFFICULT: { readonly text: string; readonly canonical: string } = {
  text: String
    .raw`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Dalet","1":"One","\ud83d\ude00":"Smiley","\u0080":"Control","\u00f6":"o","numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001,-0],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
  canonical: [
    String.raw`{"\r":"Carriage Return","1":"One","literals":[null,true,false],"numbers":`,
    "[333333333.3333333,1e+30,4.5,0.002,1e-27,0],",
    String.raw`"string":"`,
    "\u20ac$",
    String.raw`\u000f\nA'B\"\\\\\"/","`,
    '\u0080":"Control","\u00f6":"o","\u20ac":"Euro Sign","\u{1f600}":"Smiley","\ufb33":"Dalet"}',
  ].join(""),
};

/** How to create a signature. */
export interface Making {
  readonly signer?: Agent;
  /** Overrides members of the protected header. `undefined` omits a member. */
  readonly header?: Readonly<Record<string, JsonValue | undefined>>;
  /** The text of the protected header, if it is not the canonical form of an object. */
  readonly headerText?: string;
  /** The encoded protected header, if it is not the base64url form of the text. */
  readonly encodedHeader?: string;
  /** The canonical form of the object. */
  readonly payload?: string;
}

/** Encodes text as base64url. */
export function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}

/** Signs as RFC 7515 §5.1 describes, with a detached payload (appendix F). */
export function sign({ signer = ALICE, header, headerText, encodedHeader, payload }: Making = {}): {
  readonly protected: string;
  readonly signature: string;
} {
  const all = { alg: "EdDSA", kid: KEY_ID, typ: "JOSE", ...header };
  const members: Record<string, JsonValue> = {};
  for (const [name, value] of Object.entries(all)) if (value !== undefined) members[name] = value;
  const encoded = encodedHeader ?? encode(headerText ?? canonicalize(members));
  const input = `${encoded}.${encode(payload ?? canonicalize(CARD))}`;
  return { protected: encoded, signature: signText(signer, input) };
}

/** Expected result: whether the signature is valid, or the reason why it is not. */
type Answer = true | string;

/** A signature to verify. */
export interface Row {
  readonly name: string;
  readonly jws: JsonValue;
  readonly answer?: Answer;
  readonly value?: string;
  readonly args?: JsonObject;
}

function toRow(
  { name, jws, answer = true, value = JSON.stringify(CARD), args = {} }: Row,
): JsonObject {
  const ok = answer === true ? { valid: true } : { valid: false, reason: answer };
  return { name, input: { valueText: value, jws, ...args }, expect: { ok } };
}

/** Descriptive members of a case. */
export interface Text {
  readonly slug: string;
  readonly title: string;
  readonly clauses: readonly string[];
  readonly why: string;
  readonly refs?: readonly string[];
  readonly control?: string;
}

/** Creates a case that verifies signatures. */
export function toCase({ slug, control, ...text }: Text, rows: readonly Row[]): JsonObject {
  return {
    id: `${AREA}/${slug}`,
    kind: "vector",
    level: "MUST",
    basis: "decision",
    refs: [RFC],
    ...text,
    ...(control === undefined ? {} : { control: `${AREA}/${control}` }),
    needs: { features: ["comm.jws"] },
    op: "comm.jws.verify",
    rows: rows.map(toRow),
  };
}

/** A case whose signatures are rejected for the same reason. */
export function refuse(
  text: Text,
  answer: string,
  rows: readonly (readonly [name: string, jws: JsonValue])[],
): JsonObject {
  return toCase({ control: "valid", ...text }, rows.map(([name, jws]) => ({ name, jws, answer })));
}

/** The signature of {@linkcode CARD}. */
export const VALID: ReturnType<typeof sign> = sign();
