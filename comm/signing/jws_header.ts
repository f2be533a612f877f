/**
 * Headers and payloads of detached JSON Web Signatures (RFC 7515, appendix F).
 *
 * @module
 */

import { formatValue, quote } from "@parley/internal/format-value";
import { isPlainObject } from "@parley/internal/json";
import { canonicalize } from "../canonical/canonical_json.ts";
import { isDid } from "../did/did.ts";
import { formatBase64url, readBase64url } from "../shared/base64url.ts";
import { CommError } from "../shared/error.ts";
import { isJsonObject, type JsonObject } from "../shared/json.ts";
import { parseJson } from "../shared/json_parse.ts";
import type { Bytes } from "./ed25519_strict.ts";
import { malformedSignature, unsupportedSignature } from "./jws_error.ts";

/** Maximum length of an encoded protected header, in characters. */
const MAX_HEADER_CHARS = 8192;

/** Length of 64 bytes in base64url, in characters. */
const SIGNATURE_CHARS = 86;

/** `EdDSA` (RFC 8037), and `Ed25519`, its fully specified name (RFC 9864). */
const ALGORITHMS: ReadonlySet<unknown> = new Set(["EdDSA", "Ed25519"]);

/** Types of a signature that is not the signature of another format, in lower case. */
const TYPES: ReadonlySet<string> = new Set(["jose", "jose+json"]);

/** Members that only signatures with an attached payload have (RFC 7515 §7.2). */
const NOT_DETACHED = ["payload", "signatures"];

/** A fragment of a DID URL (RFC 3986 §3.5). */
const FRAGMENT = /^(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})+$/;

/** A signature whose headers are valid. */
export interface ReadSignature {
  /** The encoded protected header. */
  readonly header: string;
  /** The DID in `kid`. */
  readonly did: string;
  /** DID URL of the verification method: `kid`. */
  readonly keyId: string;
  /** The signature, 64 bytes. */
  readonly signature: Bytes;
}

/** Creates the protected header of a signature. */
export function formatHeader(keyId: string): string {
  return encodeText(canonicalize({ alg: "EdDSA", kid: keyId, typ: "JOSE" }));
}

/** Returns the bytes to sign (RFC 7515 §5.1): the header, a period, and the payload. */
export function toSigningInput(
  header: string,
  value: object,
  exclude: readonly string[],
): Bytes {
  // `canonicalize` rejects an object that is not plain, and the copy would be plain.
  const covered = exclude.length === 0 || !isPlainObject(value) ? value : without(value, exclude);
  return new TextEncoder().encode(`${header}.${encodeText(canonicalize(covered))}`);
}

/** Returns the DID of the DID URL of a key, or `undefined` if the text is not such a URL. */
export function readKeyDid(keyId: unknown): string | undefined {
  if (typeof keyId !== "string") return undefined;
  const end = keyId.indexOf("#");
  const did = keyId.slice(0, Math.max(end, 0));
  return isDid(did) && FRAGMENT.test(keyId.slice(end + 1)) ? did : undefined;
}

/** Reads a signature. Throws unless it is detached, well-formed and of a supported algorithm. */
export function readJws(jws: unknown): ReadSignature {
  if (!isJsonObject(jws)) throw malformedSignature("not an object");
  const { protected: header, signature, header: unprotected } = jws;
  if (typeof header !== "string") throw malformedSignature('"protected" is not a string');
  if (typeof signature !== "string") throw malformedSignature('"signature" is not a string');
  if (NOT_DETACHED.some((name) => Object.hasOwn(jws, name))) {
    throw malformedSignature("not detached");
  }
  const members = readHeader(header);
  assertUnprotected(unprotected, members);
  assertTerms(members);
  const { kid } = members;
  const did = readKeyDid(kid);
  if (did === undefined || typeof kid !== "string") {
    throw unsupportedSignature('"kid" is not the DID URL of a key');
  }
  return { header, did, keyId: kid, signature: readSignature(signature) };
}

/** Throws unless the members of the protected header mean what this package implements. */
function assertTerms({ alg, b64, crit, typ }: JsonObject): void {
  if (!ALGORITHMS.has(alg)) {
    throw unsupportedSignature(`"alg" is neither "EdDSA" nor "Ed25519": ${formatValue(alg)}`);
  }
  if (crit !== undefined) throw unsupportedSignature('"crit" is present');
  if (b64 !== undefined) throw unsupportedSignature('"b64" is present');
  // Names without "/" are short for media types with "application/" (RFC 7515 §4.1.9).
  const type = typeof typ === "string" ? typ.toLowerCase().replace(/^application\//, "") : typ;
  if (type !== undefined && !(typeof type === "string" && TYPES.has(type))) {
    throw unsupportedSignature(`"typ" is not "JOSE": ${formatValue(typ)}`);
  }
}

/** Throws unless the two headers have no name in common (RFC 7515 §4). */
function assertUnprotected(unprotected: unknown, members: JsonObject): void {
  if (unprotected === undefined) return;
  if (!isJsonObject(unprotected)) throw malformedSignature('"header" is not an object');
  const twice = Object.keys(unprotected).find((name) => Object.hasOwn(members, name));
  if (twice !== undefined) throw malformedSignature(`${quote(twice)} is in both headers`);
  if (Object.hasOwn(unprotected, "crit")) throw malformedSignature('"crit" is not protected');
}

function readHeader(text: string): JsonObject {
  if (text.length > MAX_HEADER_CHARS) {
    throw malformedSignature(`header is longer than ${MAX_HEADER_CHARS} characters`);
  }
  const bytes = readBase64url(text);
  if (bytes === undefined) throw malformedSignature("header is not canonical base64url");
  const header = parseHeader(bytes);
  if (!isJsonObject(header)) throw malformedSignature("header is not an object");
  return header;
}

function parseHeader(bytes: Bytes): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (!(error instanceof CommError)) throw error;
    throw malformedSignature(`header is not unambiguous JSON: ${error.message}`);
  }
}

function readSignature(text: string): Bytes {
  const bytes = text.length === SIGNATURE_CHARS ? readBase64url(text) : undefined;
  if (bytes === undefined) throw malformedSignature("signature is not 64 bytes in base64url");
  return bytes;
}

function without(value: object, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

function encodeText(text: string): string {
  return formatBase64url(new TextEncoder().encode(text));
}
