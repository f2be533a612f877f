/**
 * Base58 with the Bitcoin alphabet (base58btc). Encoding and decoding take quadratic time, so
 * base58 is used only for keys and signatures.
 *
 * @see https://datatracker.ietf.org/doc/html/draft-msporny-base58-03
 * @module
 */

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Encodes bytes as base58btc. */
export function formatBase58(bytes: Uint8Array): string {
  let value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  let text = "";
  for (; value > 0n; value /= 58n) text = ALPHABET.charAt(Number(value % 58n)) + text;
  // Encode each leading zero byte as "1", because leading zeros do not change the value of a
  // number.
  for (let index = 0; bytes[index] === 0; index++) text = `1${text}`;
  return text;
}

/** Decodes base58btc. Returns `undefined` if the text is invalid or longer than `maxLength`. */
export function readBase58(text: string, maxLength: number): Uint8Array<ArrayBuffer> | undefined {
  if (text.length > maxLength) return undefined;
  const bytes: number[] = [];
  let value = 0n;
  for (const letter of text) {
    const digit = ALPHABET.indexOf(letter);
    if (digit < 0) return undefined;
    value = value * 58n + BigInt(digit);
  }
  for (; value > 0n; value >>= 8n) bytes.push(Number(value & 0xffn));
  for (let index = 0; text[index] === "1"; index++) bytes.push(0);
  return Uint8Array.from(bytes.reverse());
}
