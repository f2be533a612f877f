/**
 * Media types that an agent accepts and produces.
 *
 * @module
 */

import type { A2aPart } from "./types.ts";

/** Returns the media type of a part, as declared or as the kind of the part implies. */
export function mediaTypeOf(part: A2aPart): string {
  const declared = normalize(part.mediaType ?? "");
  if (declared !== "") return declared;
  if ("text" in part) return "text/plain";
  return "data" in part ? "application/json" : "application/octet-stream";
}

/** Returns `true` if a media type matches one of the modes, which may contain wildcards. */
export function isAccepted(mediaType: string, modes: readonly string[]): boolean {
  const [type, subtype] = normalize(mediaType).split("/");
  return modes.some((mode) => {
    const [wantedType, wantedSubtype] = normalize(mode).split("/");
    return (wantedType === "*" || wantedType === type) &&
      (wantedSubtype === "*" || wantedSubtype === subtype);
  });
}

/** Removes parameters. Media types are case-insensitive (RFC 6838, section 4.2). */
function normalize(mediaType: string): string {
  return (mediaType.split(";", 1)[0] ?? "").trim().toLowerCase();
}
