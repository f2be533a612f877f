/**
 * The forms in which a secret occurs in text: encoded, escaped, or as a part of encoded text.
 *
 * @module
 */

import { encodeBase64 } from "./base64.ts";

/**
 * Minimum length of a form that is found, in characters. A shorter text occurs in ordinary text by
 * chance.
 */
export const MIN_SECRET_CHARS = 4;

/** Maximum number of encodings around a secret that are undone to find it. */
const MAX_ENCODINGS = 3;

/** Returns the forms in which a secret occurs in URLs, headers, JSON and form bodies. */
export function formsOf(secret: string): readonly string[] {
  const percent = encodeURIComponent(secret.toWellFormed());
  const form = new URLSearchParams([["", secret]]).toString().slice(1);
  const json = JSON.stringify(secret).slice(1, -1);
  const texts = [secret, percent, form];
  const all = [
    ...texts,
    percent.replaceAll("%20", "+"),
    json,
    json.replaceAll("/", "\\/"),
    ...texts.flatMap(base64FormsOf),
  ];
  return [...new Set(all)].filter((each) => each.length >= MIN_SECRET_CHARS);
}

/**
 * Returns the characters of base64 and base64url that encode only the given text, for each of the
 * three positions that the text can have in a longer text. Padding is therefore never included.
 */
function base64FormsOf(text: string): readonly string[] {
  const bytes = new TextEncoder().encode(text);
  return [0, 1, 2].flatMap((offset) => {
    const padded = new Uint8Array(offset + bytes.length);
    padded.set(bytes, offset);
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor((padded.length * 8) / 6);
    const plain = encodeBase64(padded).slice(first, last);
    const url = plain.replaceAll("+", "-").replaceAll("/", "_");
    return url.length < MIN_SECRET_CHARS ? [] : [url, plain];
  });
}

/** Returns the text after each of several rounds of undoing encodings. */
export function decodings(text: string): readonly string[] {
  const found = [text];
  let rest = text;
  for (let round = 0; round < MAX_ENCODINGS; round++) {
    const unescaped = rest.replace(/(?:%[0-9a-f]{2})+/gi, decodePercent);
    const decoded = unescaped.replace(ESCAPE, decodeEscape);
    if (decoded === rest) break;
    found.push(unescaped, decoded);
    rest = decoded;
  }
  return [...found, ...found.map(decodeBase64Runs)];
}

/** Escape sequences of JSON, JavaScript and HTML. */
const ESCAPE = /\\u\{?([0-9a-f]{2,6})\}?|\\x([0-9a-f]{2})|&#x([0-9a-f]{1,6});|&#(\d{1,7});|\\(.)/gi;

function decodeEscape(_: string, ...groups: readonly (string | undefined)[]): string {
  const [long, short, hex, decimal, character] = groups;
  if (character !== undefined) return character;
  const code = decimal === undefined ? parseInt(long ?? short ?? hex ?? "0", 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

function decodePercent(run: string): string {
  const bytes = run.slice(1).split("%").map((hex) => parseInt(hex, 16));
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** Replaces each sequence that may be base64 or hexadecimal by what it encodes. */
function decodeBase64Runs(text: string): string {
  return text.replace(/[\w+/-]{8,}/g, (run) => {
    const plain = run.replaceAll("-", "+").replaceAll("_", "/");
    const hex = /^(?:[0-9a-f]{2})+$/i.test(run) ? decodePercent(run.replace(/../g, "%$&")) : "";
    try {
      const bytes = Uint8Array.from(atob(plain), (character) => character.charCodeAt(0));
      return `${hex} ${new TextDecoder().decode(bytes)}`;
    } catch {
      // A sequence of an impossible length is not base64.
      return hex;
    }
  });
}
