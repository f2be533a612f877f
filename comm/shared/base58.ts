/**
 * Base58 in Bitcoin's alphabet (base58btc), for the few bytes of keys and signatures: it takes time quadratic in them.
 *
 * @see https://datatracker.ietf.org/doc/html/draft-msporny-base58-03
 * @module
 */

const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Writes bytes as base58btc. */
export function formatBase58(bytes: Uint8Array): string {
  let value = bytes.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  let text = "";
  for (; value > 0n; value /= 58n) text = ALPHABET.charAt(Number(value % 58n)) + text;
  // A number has no leading zeros: each is written as a digit of its own.
  for (let index = 0; bytes[index] === 0; index++) text = `1${text}`;
  return text;
}

/** Reads base58btc of a bounded length; undefined when it is none, or longer. */
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
