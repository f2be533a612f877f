/**
 * The form of a URI in which percent-encodings are compared.
 *
 * @module
 */

/** Encoded octets in sequence, or a percent sign that does not begin an encoded octet. */
const ENCODED = /(?:%[0-9a-f]{2})+|%/gi;

/** A percent sign that does not begin an encoded octet. */
const MALFORMED = /%(?![0-9a-f]{2})/i;

/** The reserved characters (RFC 3986, section 2.2) and the percent sign. */
const RESERVED = /[%:/?#[\]@!$&'()*+,;=]/g;

/**
 * Returns a form of a URI, or of a part of a URI, that is the same for all URIs that differ only in
 * percent-encodings without meaning (RFC 3986, section 6.2.2): only reserved characters, percent
 * signs and octets that are not UTF-8 are encoded, with upper-case digits. The form is never longer
 * than the URI, except that a percent sign without digits is encoded.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc3986#section-6.2.2 RFC 3986, section 6.2.2}
 */
export function comparableUri(uri: string): string {
  return uri.includes("%") ? uri.replaceAll(ENCODED, decodeUnreserved) : uri;
}

/** Returns `true` if a URI contains a percent sign that does not begin an encoded octet. */
export function hasMalformedEncoding(uri: string): boolean {
  return MALFORMED.test(uri);
}

function decodeUnreserved(encoded: string): string {
  if (encoded === "%") return "%25";
  try {
    return decodeURIComponent(encoded).replaceAll(RESERVED, encodeCharacter);
  } catch {
    // Octets that are not UTF-8 belong to no character, so only ASCII is decoded.
    return encoded.toUpperCase().replaceAll(
      /%[0-7][0-9A-F]/g,
      (octet) => decodeURIComponent(octet).replaceAll(RESERVED, encodeCharacter),
    );
  }
}

function encodeCharacter(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
