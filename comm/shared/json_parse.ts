/**
 * A strict JSON parser (RFC 8259, restricted to I-JSON, RFC 7493).
 *
 * `JSON.parse` accepts input that other parsers interpret differently: it keeps the last of two
 * members with the same name, rounds large integers, converts `1e400` to infinity, and has no
 * nesting limit. If one component verifies a message and another component processes it, two
 * different parsers could return different values.
 *
 * @module
 */

import { type JsonTextPosition, messageTooLarge } from "./error.ts";
import {
  deserializationFailed,
  duplicateMember,
  invalidUnicode,
  numberOutOfRange,
  tooDeep,
  unsafeInteger,
} from "./json_error.ts";
import { assertCount, assertObject } from "@parley/internal/assert-argument";
import { assertNames, namesOf, type Settings } from "@parley/internal/options";
import { assertDepth, DEFAULT_MAX_DEPTH, type JsonValue, setMember, toPointer } from "./json.ts";

/** Default maximum size of a JSON text: 1 MiB. */
export const DEFAULT_MAX_BYTES: number = 1024 * 1024;

/** Options for {@linkcode parseJson}. */
export interface ParseJsonOptions {
  /**
   * Maximum size of the input, in UTF-8 bytes.
   *
   * @default {1_048_576}
   */
  readonly maxBytes?: number;
  /**
   * Maximum nesting depth of objects and arrays, from 1 to 1000.
   *
   * @default {128}
   */
  readonly maxDepth?: number;
}

/** Limits for {@linkcode parseJson}, with default values filled in. */
export type JsonLimits = Settings<ParseJsonOptions, keyof ParseJsonOptions>;

/**
 * Parses JSON and rejects input that another parser might interpret differently.
 *
 * @param input JSON text as a string, or as UTF-8 bytes without a byte order mark.
 * @param options Limits on size and nesting depth.
 * @returns The parsed value. `__proto__` is treated as an ordinary member.
 * @throws {CommError} With code "deserialization_failed" if the input is not valid JSON.
 * @throws {CommError} With code "duplicate_member" if an object has two members with the same name.
 * @throws {CommError} With code "unsafe_integer" if an integer literal is neither exactly
 *   representable as a double nor written as ECMAScript writes a double.
 * @throws {CommError} With code "number_out_of_range" if a number is too large, such as `1e400`.
 * @throws {CommError} With code "invalid_unicode" if the input has a lone surrogate or invalid
 *   UTF-8.
 * @throws {CommError} With code "too_deep" if the nesting depth exceeds `maxDepth`.
 * @throws {CommError} With code "message_too_large" if the input is larger than `maxBytes`.
 * @throws {RangeError} If an option is out of range.
 * @throws {TypeError} If an option is unknown.
 * @see https://www.rfc-editor.org/rfc/rfc7493#section-2
 *
 * @example Reject an ambiguous number
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
  assertObject("options", options);
  assertNames("options", options, NAMES);
  return parseWithin(input, readJsonLimits(options));
}

const NAMES = namesOf<ParseJsonOptions>({ maxBytes: true, maxDepth: true });

/** Validates the limits for {@linkcode parseJson} and fills in default values. */
export function readJsonLimits({
  maxBytes = DEFAULT_MAX_BYTES,
  maxDepth = DEFAULT_MAX_DEPTH,
}: ParseJsonOptions): JsonLimits {
  assertDepth(maxDepth);
  assertCount("maxBytes", maxBytes);
  return { maxBytes, maxDepth };
}

/** Parses JSON as {@linkcode parseJson} does, within valid limits. */
export function parseWithin(
  input: string | Uint8Array,
  { maxBytes, maxDepth }: JsonLimits,
): JsonValue {
  if (typeof input === "string") return new Parser(checkText(input, maxBytes), maxDepth).parse();
  return new Parser(decode(input, maxBytes), maxDepth, countBytes).parse();
}

function countBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

function countCodeUnits(text: string): number {
  return text.length;
}

/**
 * Returns the text unchanged. Throws `message_too_large` if the text exceeds `maxBytes` bytes when
 * encoded as UTF-8.
 */
export function checkText(text: string, maxBytes: number): string {
  // A UTF-16 code unit becomes one to three bytes of UTF-8, so most strings can be checked without
  // encoding them.
  if (text.length > maxBytes) throw messageTooLarge(maxBytes, text.length);
  if (text.length * 3 > maxBytes) {
    const actual = countBytes(text);
    if (actual > maxBytes) throw messageTooLarge(maxBytes, actual);
  }
  return text;
}

function decode(bytes: Uint8Array, maxBytes: number): string {
  // Check `byteLength`, because JavaScript callers might pass an `ArrayBuffer`, which has no
  // `length`.
  const { byteLength } = bytes;
  if (byteLength > maxBytes) throw messageTooLarge(maxBytes, byteLength);
  try {
    return decodeUtf8(bytes);
  } catch {
    throw invalidUnicode("", findInvalidUtf8(bytes));
  }
}

/**
 * Decodes UTF-8 without removing a byte order mark. Throws a `TypeError` if the bytes are not valid
 * UTF-8.
 *
 * @param stream Whether the last character may be incomplete.
 */
export function decodeUtf8(bytes: Uint8Array, stream = false): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes, { stream });
}

/**
 * Returns the offset of the first invalid byte. `TextDecoder` does not report this offset, so this
 * function finds the longest valid prefix by bisection.
 */
function findInvalidUtf8(bytes: Uint8Array): number {
  let valid = 0;
  let invalid = bytes.length + 1;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    try {
      decodeUtf8(bytes.subarray(0, middle), true);
      valid = middle;
    } catch {
      // The first `middle` bytes contain an invalid byte.
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
  /** Measures a prefix of the text, in code units or bytes, to compute an offset. */
  readonly #count: (text: string) => number;
  /**
   * Path to the current value: a member name or array index for each depth. Path segments beyond
   * the current depth belong to earlier values.
   */
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
    const text = this.#text;
    const start = this.#at;
    let escaped = false;
    let at = start;
    for (;;) {
      const code = text.charCodeAt(++at);
      if (code === QUOTE) break;
      // At the end of the text, `code` is `NaN`.
      if (!(code >= 0x20)) throw this.#unexpected("a string character", at);
      if (code === BACKSLASH) {
        escaped = true;
        at++;
      }
    }
    this.#at = at + 1;
    const value = escaped
      ? this.#unescape(text.slice(start, at + 1), start)
      : text.slice(start + 1, at);
    if (!value.isWellFormed()) {
      throw invalidUnicode(toPointer(this.#path, depth), this.#offset(start));
    }
    return value;
  }

  /**
   * Decodes a string with escape sequences. Uses `JSON.parse`, which is strict enough for a single
   * string.
   */
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

  #unexpected(expected: string, at: number = this.#at): Error {
    const found = this.#text.charAt(at);
    const what = found === "" ? "end of input" : JSON.stringify(found);
    return deserializationFailed(`expected ${expected}, got ${what}`, this.#offset(at));
  }
}

/**
 * Returns `true` if an integer literal and the double parsed from it are different numbers.
 * ECMAScript and RFC 8785 write large doubles with trailing zeros, for example 2^63 as
 * 9223372036854776000. A large integer literal in the form that ECMAScript writes is accepted,
 * because it identifies its double uniquely.
 */
function losesDigits(literal: string, value: number): boolean {
  return !Number.isSafeInteger(value) && /^-?[0-9]+$/.test(literal) && String(value) !== literal &&
    BigInt(literal) !== BigInt(value);
}
