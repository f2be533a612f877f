/**
 * Forms of a secret in text: encodings that other programs apply to it.
 *
 * @module
 */

import { encodeBase64 } from "./base64.ts";

/** Minimum length of a form. Shorter texts occur in ordinary text by chance. */
export const MIN_CHARS = 4;

/** Minimum length of a form that is found regardless of case and of separators. */
const MIN_SQUEEZED_CHARS = 8;

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
  return [...new Set(all)].filter((each) => each.length >= MIN_CHARS);
}

/**
 * Returns `true` if a text contains one of the forms in an encoding that cannot be cut out: a form
 * in another case, with characters between its characters, or in up to three encodings.
 */
export function isHiddenIn(text: string, forms: readonly string[]): boolean {
  const squeezed = forms.map(squeeze).filter(({ length }) => length >= MIN_SQUEEZED_CHARS);
  return [...decodings(text)].some((decoded) => {
    if (forms.some((form) => decoded.includes(form))) return true;
    const rest = squeeze(decoded);
    return squeezed.some((form) => rest.includes(form));
  });
}

/**
 * Returns the text in lower case, with compatible characters unified, and without white space,
 * control characters and invisible characters.
 */
function squeeze(text: string): string {
  return text.normalize("NFKC").replace(/[\s\p{Cc}\p{Cf}]+/gu, "").toLowerCase();
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
    return url.length < MIN_CHARS ? [] : [url, plain];
  });
}

/** Returns the text, and the texts that result from undoing up to three encodings. */
function decodings(text: string): ReadonlySet<string> {
  const found = new Set([text]);
  let level: readonly string[] = [text];
  for (let round = 0; round < MAX_ENCODINGS; round++) {
    level = level.flatMap((each) => [unquote(each), unescape(each), decodeRuns(each)])
      .filter((each) => each !== "" && !found.has(each));
    for (const each of level) found.add(each);
  }
  return found;
}

/** Undoes percent-encoding, quoted-printable and octal escape sequences, which encode bytes. */
function unquote(text: string): string {
  return text
    .replace(/=\r?\n/g, "")
    .replace(/(?:[%=][0-9a-f]{2})+/gi, (run) => decodeHex(run.replace(/[%=]/g, "")))
    .replace(/(?:\\[0-3]?[0-7]{2})+/g, decodeOctal);
}

/** Undoes the escape sequences of JSON, JavaScript and HTML. */
function unescape(text: string): string {
  return text.replace(ESCAPE, decodeEscape);
}

const ESCAPE = /\\u\{?([0-9a-f]{2,6})\}?|\\x([0-9a-f]{2})|&#x([0-9a-f]{1,6});|&#(\d{1,7});|\\(.)/gi;

function decodeEscape(_: string, ...groups: readonly (string | undefined)[]): string {
  const [long, short, hex, decimal, character] = groups;
  if (character !== undefined) return character;
  const code = decimal === undefined ? parseInt(long ?? short ?? hex ?? "0", 16) : Number(decimal);
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

/** Sequences that may be base64 or hexadecimal. */
const RUN = /[\w+/-]{8,}/g;

/** Bytes in hexadecimal notation, such as `74:6f:6b` and `<Buffer 74 6f 6b>`. */
const HEX_BYTES = /\b(?:0x)?[0-9a-f]{2}(?:[\s:,;-]+(?:0x)?[0-9a-f]{2}\b){3,}/gi;

/** Bytes in decimal notation, such as `[116,111,107]`. */
const DECIMAL_BYTES = /\b\d{1,3}(?:[\s,;]+\d{1,3}\b){3,}/g;

/** Returns only the texts that sequences of base64, hexadecimal or decimal bytes encode. */
function decodeRuns(text: string): string {
  const runs = [...text.matchAll(RUN)].flatMap(([run]) => [
    /^(?:[0-9a-f]{2})+$/i.test(run) ? decodeHex(run) : "",
    decodeBase64(run),
  ]);
  const lists = [...text.matchAll(HEX_BYTES)].map(([list]) =>
    decodeHex(list.replace(/0x|[\s:,;-]+/gi, ""))
  );
  const decimals = [...text.matchAll(DECIMAL_BYTES)].map(([list]) =>
    decodeBytes(list.split(/[\s,;]+/).map(Number))
  );
  return [...runs, ...lists, ...decimals].filter((each) => each !== "").join(" ");
}

function decodeOctal(run: string): string {
  return decodeBytes(run.slice(1).split("\\").map((digits) => parseInt(digits, 8)));
}

function decodeHex(digits: string): string {
  return decodeBytes((digits.match(/../g) ?? []).map((pair) => parseInt(pair, 16)));
}

function decodeBase64(run: string): string {
  try {
    const text = atob(run.replaceAll("-", "+").replaceAll("_", "/"));
    return decodeBytes(Array.from(text, (character) => character.charCodeAt(0)));
  } catch {
    // A sequence of an impossible length is not base64.
    return "";
  }
}

function decodeBytes(bytes: readonly number[]): string {
  return new TextDecoder().decode(Uint8Array.from(bytes));
}
