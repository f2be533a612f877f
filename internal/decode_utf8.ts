/**
 * Strict decoding of UTF-8. JSON-RPC messages must be UTF-8, so a message that is not UTF-8 is
 * rejected instead of repaired.
 *
 * @module
 */

/** Decodes bytes in chunks, and rejects bytes that are not UTF-8. */
export class Utf8Decoder {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });

  /**
   * Decodes a chunk, or the end of the input if there is no chunk. Removes a byte order mark at the
   * start of the input. Returns `undefined` if the input is not UTF-8.
   */
  decode(chunk?: Uint8Array): string | undefined {
    try {
      return this.#decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      return undefined;
    }
  }
}

/** Decodes whole inputs, so that it keeps nothing between two of them. */
const WHOLE = new TextDecoder("utf-8", { fatal: true });

/** Decodes a whole input. Returns `undefined` if the input is not UTF-8. */
export function decodeUtf8(bytes: Uint8Array | ArrayBuffer): string | undefined {
  try {
    return WHOLE.decode(bytes);
  } catch {
    return undefined;
  }
}
