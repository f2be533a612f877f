/**
 * Converts file parts to base64, `data:` URLs and text.
 *
 * @module
 */

import { decodeBase64, encodeBase64 } from "@parley/internal/base64";
import type { FilePart } from "../shared/model.ts";

/** Returns the URL of a file, or a `data:` URL that contains inline data. */
export function toUrl({ data, mediaType }: FilePart): string {
  return data.type === "url" ? data.url.href : `data:${mediaType};base64,${toBase64(data.data)}`;
}

/** Encodes bytes as base64. Returns a string unchanged, because it is already base64. */
export function toBase64(data: Uint8Array | string): string {
  return typeof data === "string" ? data : encodeBase64(data);
}

/** Decodes bytes, or a base64 string, as UTF-8. */
export function toText(data: Uint8Array | string): string {
  return new TextDecoder().decode(typeof data === "string" ? decodeBase64(data) : data);
}
