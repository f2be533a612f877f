/**
 * Files of a message as base64 text and `data:` URLs.
 *
 * @module
 */

import type { FilePart } from "../shared/model.ts";

/** So many bytes are turned into text at once: far below the limit on arguments of a call. */
const CHUNK_BYTES = 8192;

/** The file's URL: its own, or a `data:` URL of its content. */
export function toUrl({ data, mediaType }: FilePart): string {
  return data.type === "url" ? data.url.href : `data:${mediaType};base64,${toBase64(data.data)}`;
}

/** Bytes as base64; text is base64 already. */
export function toBase64(data: Uint8Array | string): string {
  if (typeof data === "string") return data;
  let binary = "";
  for (let start = 0; start < data.length; start += CHUNK_BYTES) {
    binary += String.fromCharCode(...data.subarray(start, start + CHUNK_BYTES));
  }
  return btoa(binary);
}

/** The text in bytes, or in base64, read as UTF-8. */
export function toText(data: Uint8Array | string): string {
  const bytes = typeof data === "string"
    ? Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
    : data;
  return new TextDecoder().decode(bytes);
}
