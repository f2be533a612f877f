/**
 * Strict base64url (RFC 4648 §5, without padding): each byte sequence has exactly one encoding.
 *
 * @module
 */

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Creates a table that maps character codes to values. Invalid characters map to 255. */
function createValues(): Uint8Array {
  const values = new Uint8Array(128).fill(255);
  for (let value = 0; value < 64; value++) values[ALPHABET.charCodeAt(value)] = value;
  return values;
}

const VALUES: Uint8Array = createValues();

/** Encodes bytes as base64url without padding. */
export function formatBase64url(bytes: Uint8Array): string {
  let text = "";
  for (let index = 0; index < bytes.length; index += 3) {
    const group = (byte(bytes, index) << 16) | (byte(bytes, index + 1) << 8) |
      byte(bytes, index + 2);
    text += String.fromCharCode(
      letter(group >> 18),
      letter(group >> 12),
      letter(group >> 6),
      letter(group),
    );
  }
  // The last group may include characters for bytes past the end of the input.
  return text.slice(0, Math.ceil(bytes.length * 4 / 3));
}

/** Returns the character code for the lowest six bits. */
function letter(bits: number): number {
  return ALPHABET.charCodeAt(bits & 63);
}

/**
 * Decodes base64url. Returns `undefined` if the text contains padding, whitespace, "+" or "/", if
 * its length is invalid, or if trailing bits are not zero (RFC 4648 §3.5).
 */
export function readBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 === 1) return undefined;
  const bytes = new Uint8Array(text.length * 3 >> 2);
  let length = 0;
  let any = 0;
  let group = 0;
  for (let index = 0; index < text.length; index += 4) {
    group = 0;
    for (let place = index; place < index + 4; place++) {
      const value = valueAt(text, place);
      any |= value;
      group = (group << 6) | value;
    }
    // In the last group, `length` can exceed the size of `bytes`. Writes past the end of a typed
    // array have no effect.
    bytes[length++] = group >> 16;
    bytes[length++] = group >> 8;
    bytes[length++] = group;
  }
  const dropped = group & ((1 << (length - bytes.length) * 8) - 1);
  return any < 64 && dropped === 0 ? bytes : undefined;
}

function valueAt(text: string, index: number): number {
  return index < text.length ? VALUES[text.charCodeAt(index)] ?? 255 : 0;
}

function byte(bytes: Uint8Array, index: number): number {
  return bytes[index] ?? 0;
}
