/**
 * A strict JSON parser (RFC 8259 within the bounds of I-JSON, RFC 7493) for texts that will be signed or checked.
 *
 * `JSON.parse` keeps the last of two members with one name where other languages keep the first, rounds integers,
 * turns `1e400` into infinity and accepts a million levels: each lets a checker and a consumer see different messages.
 *
 * @module
 */

import {
  deserializationFailed,
  duplicateMember,
  invalidUnicode,
  type JsonTextPosition,
  messageTooLarge,
  numberOutOfRange,
  tooDeep,
  unsafeInteger,
} from "./error.ts";
import { assertDepth, DEFAULT_MAX_DEPTH, type JsonValue, setMember, toPointer } from "./json.ts";

/** How long a text may be unless an option says otherwise: 1 MiB. */
export const DEFAULT_MAX_BYTES: number = 1024 * 1024;

/** Limits of {@linkcode parseJson}. */
export interface ParseJsonOptions {
  /** How long the text may be, in bytes of UTF-8; the default is 1 MiB. */
  readonly maxBytes?: number;
  /** How many objects and arrays may nest, 1 to 1000; the default is 128. */
  readonly maxDepth?: number;
}

/**
 * Parses JSON and refuses whatever another parser could understand differently.
 *
 * @param input a text, or its bytes in UTF-8 without byte order mark
 * @param options limits
 * @returns fresh plain data; `__proto__` is a member like any other
 * @throws {CommError} `deserialization_failed` (syntax, byte order mark), `duplicate_member`, `unsafe_integer` (an
 *   integer literal that is neither exactly a double nor what ECMAScript writes for one), `number_out_of_range` (e.g. `1e400`), `invalid_unicode` (a lone
 *   surrogate, invalid UTF-8), `too_deep`, `message_too_large`; each says where
 * @throws {RangeError} when an option is out of range
 * @see https://www.rfc-editor.org/rfc/rfc7493#section-2
 *
 * @example Refuse an ambiguous text
 * ```ts
 * import { CommError, parseJson } from "@parley/comm";
 * import { assertEquals, assertThrows } from "@std/assert";
 *
 * assertEquals(parseJson('{"a": [1, 2.5]}'), { a: [1, 2.5] });
 *
 * const error = assertThrows(() => parseJson("[9007199254740993]"), CommError);
 * assertEquals(error.code, "unsafe_integer");
 * assertEquals(error.details, { path: "/0", offset: 1 });
 * ```
 */
export function parseJson(input: string | Uint8Array, options: ParseJsonOptions = {}): JsonValue {
  const { maxBytes = DEFAULT_MAX_BYTES, maxDepth = DEFAULT_MAX_DEPTH } = options;
  assertDepth(maxDepth);
  if (Number.isNaN(maxBytes) || maxBytes < 1) {
    throw new RangeError(`"maxBytes" must be at least 1, got ${maxBytes}`);
  }
  if (typeof input === "string") return new Parser(checkText(input, maxBytes), maxDepth).parse();
  return new Parser(decode(input, maxBytes), maxDepth, countBytes).parse();
}

function countBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

function countCodeUnits(text: string): number {
  return text.length;
}

/** Answers the text when it is no longer than the limit, in bytes of UTF-8. */
export function checkText(text: string, maxBytes: number): string {
  // A UTF-16 code unit takes one to three bytes, so most texts need no count.
  if (text.length > maxBytes) throw messageTooLarge(maxBytes, text.length);
  if (text.length * 3 > maxBytes) {
    const actual = countBytes(text);
    if (actual > maxBytes) throw messageTooLarge(maxBytes, actual);
  }
  return text;
}

function decode(bytes: Uint8Array, maxBytes: number): string {
  // An ArrayBuffer, which nobody should pass, has no length that could be compared.
  const { byteLength } = bytes;
  if (byteLength > maxBytes) throw messageTooLarge(maxBytes, byteLength);
  try {
    return decodeUtf8(bytes, false);
  } catch {
    throw invalidUnicode("", findInvalidUtf8(bytes));
  }
}

function decodeUtf8(bytes: Uint8Array, stream: boolean): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream });
}

/** TextDecoder does not say where it failed; the longest prefix it accepts does, found by bisection. */
function findInvalidUtf8(bytes: Uint8Array): number {
  let valid = 0;
  let invalid = bytes.length + 1;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    try {
      decodeUtf8(bytes.subarray(0, middle), true);
      valid = middle;
    } catch {
      // A fatal decoder throws for exactly one reason.
      invalid = middle;
    }
  }
  return Math.min(valid, bytes.length);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;

class Parser {
  readonly #text: string;
  readonly #maxDepth: number;
  /** How far into the input a text reaches, in the unit that its reader knows. */
  readonly #count: (text: string) => number;
  /** The step taken at each depth; entries beyond the current depth are stale. */
  readonly #path: (string | number)[] = [];
  #at = 0;

  constructor(text: string, maxDepth: number, count = countCodeUnits) {
    this.#text = text;
    this.#maxDepth = maxDepth;
    this.#count = count;
  }

  parse(): JsonValue {
    const value = this.#value(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#unexpected("end of input");
    return value;
  }

  #value(depth: number): JsonValue {
    const code = this.#skipSpace();
    switch (code) {
      case QUOTE:
        return this.#string(depth);
      case 0x7b:
        return this.#object(depth);
      case 0x5b:
        return this.#array(depth);
      default:
        return this.#scalar(code, depth);
    }
  }

  #object(depth: number): JsonValue {
    this.#enter(depth);
    const object: Record<string, JsonValue> = {};
    if (this.#skipSpace() === 0x7d) return this.#leave(object);
    for (;;) {
      if (this.#skipSpace() !== QUOTE) throw this.#unexpected("a member name");
      const offset = this.#at;
      const name = this.#string(depth);
      this.#path[depth] = name;
      if (Object.hasOwn(object, name)) {
        throw duplicateMember(this.#position(depth + 1, offset));
      }
      if (this.#skipSpace() !== 0x3a) throw this.#unexpected('":"');
      this.#at++;
      setMember(object, name, this.#value(depth + 1));
      const next = this.#skipSpace();
      if (next === 0x7d) return this.#leave(object);
      if (next !== 0x2c) throw this.#unexpected('"," or "}"');
      this.#at++;
    }
  }

  #array(depth: number): JsonValue {
    this.#enter(depth);
    const array: JsonValue[] = [];
    if (this.#skipSpace() === 0x5d) return this.#leave(array);
    for (;;) {
      this.#path[depth] = array.length;
      array.push(this.#value(depth + 1));
      const next = this.#skipSpace();
      if (next === 0x5d) return this.#leave(array);
      if (next !== 0x2c) throw this.#unexpected('"," or "]"');
      this.#at++;
    }
  }

  #enter(depth: number): void {
    if (depth >= this.#maxDepth) throw tooDeep(this.#maxDepth, this.#offset(this.#at));
    this.#at++;
  }

  #leave<T>(container: T): T {
    this.#at++;
    return container;
  }

  #string(depth: number): string {
    const start = this.#at;
    let escaped = false;
    for (;;) {
      const code = this.#text.charCodeAt(++this.#at);
      if (code === QUOTE) break;
      // NaN, at the end of the text, fails the comparison too.
      if (!(code >= 0x20)) throw this.#unexpected("a string character");
      if (code === BACKSLASH) {
        escaped = true;
        this.#at++;
      }
    }
    const raw = this.#text.slice(start, ++this.#at);
    const value = escaped ? this.#unescape(raw, start) : raw.slice(1, -1);
    if (!value.isWellFormed()) {
      throw invalidUnicode(toPointer(this.#path, depth), this.#offset(start));
    }
    return value;
  }

  /** The native parser knows the escapes; a string on its own holds none of its traps. */
  #unescape(raw: string, start: number): string {
    try {
      return String(JSON.parse(raw));
    } catch {
      throw deserializationFailed(
        "invalid escape sequence in string",
        this.#offset(start),
      );
    }
  }

  #scalar(code: number, depth: number): JsonValue {
    if (code === 0x74 && this.#skip("true")) return true;
    if (code === 0x66 && this.#skip("false")) return false;
    if (code === 0x6e && this.#skip("null")) return null;
    NUMBER.lastIndex = this.#at;
    const literal = NUMBER.exec(this.#text)?.[0];
    if (literal === undefined) throw this.#unexpected("a value");
    const value = this.#number(literal, depth);
    this.#at += literal.length;
    return value;
  }

  #skip(literal: string): boolean {
    if (!this.#text.startsWith(literal, this.#at)) return false;
    this.#at += literal.length;
    return true;
  }

  #number(literal: string, depth: number): number {
    const value = Number(literal);
    if (!Number.isFinite(value)) throw numberOutOfRange(this.#position(depth));
    if (losesDigits(literal, value)) throw unsafeInteger(this.#position(depth));
    return value;
  }

  #position(depth: number, at = this.#at): JsonTextPosition {
    return { path: toPointer(this.#path, depth), offset: this.#offset(at) };
  }

  #offset(at: number): number {
    return this.#count(this.#text.slice(0, at));
  }

  #skipSpace(): number {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return code;
      this.#at++;
    }
  }

  #unexpected(expected: string): Error {
    const found = this.#text.charAt(this.#at);
    const what = found === "" ? "end of input" : JSON.stringify(found);
    return deserializationFailed(`expected ${expected}, got ${what}`, this.#offset(this.#at));
  }
}

/**
 * Whether an integer literal names another integer than the double it is read as. ECMAScript, and with it RFC 8785,
 * writes large doubles with zeros for the digits they do not have (2^63 as 9223372036854776000): such a text is the
 * double's own name.
 */
function losesDigits(literal: string, value: number): boolean {
  return !Number.isSafeInteger(value) && /^-?[0-9]+$/.test(literal) && String(value) !== literal &&
    BigInt(literal) !== BigInt(value);
}
