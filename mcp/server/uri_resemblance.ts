/**
 * Compares URIs that servers may treat as equal.
 *
 * @module
 */

/** Maximum number of nested percent-encodings that are decoded. */
const MAX_DECODINGS = 8;

/** A control character, a backslash, or a `.` or `..` segment, in a decoded URI. */
// deno-lint-ignore no-control-regex
const UNSAFE = /[\0-\x1f\x7f\\]|(?:^|[/:])\.{1,2}(?:[/?#;]|$)/;

/**
 * Returns a form of a URI that is the same for all URIs that a server may treat as equal: without
 * percent-encoding, even if it is nested, without a fragment, an empty query, control characters
 * and dot segments, and in lower case. Two URIs with different results differ for every server that
 * follows the URL standard; two URIs with the same result may differ.
 *
 * @see {@link https://url.spec.whatwg.org/#url-parsing URL standard, URL parsing}
 */
export function canonicalUri(uri: string): string {
  // deno-lint-ignore no-control-regex
  const text = decodeAll(uri).replaceAll(/[\0-\x1f\x7f]/g, "").trim().replaceAll("\\", "/");
  const [beforeFragment = ""] = text.split("#", 1);
  const whole = URL.canParse(beforeFragment)
    ? decodeAll(new URL(beforeFragment).href)
    : beforeFragment;
  return whole.normalize("NFKC").toLowerCase()
    .replace(/^([^/:]*:)\/*/, "$1/")
    .replaceAll(/\/{2,}/g, "/")
    .replace(/[/?&\s]+$/, "");
}

/**
 * Returns `true` if servers may interpret a URI in different ways: it contains a dot segment, a
 * backslash, a control character, a space or an invalid percent-encoding.
 */
export function isUnusualUri(uri: string): boolean {
  if (/\s/.test(uri)) return true;
  const decoded = decodeAll(uri);
  return UNSAFE.test(decoded) || /%[0-9a-f]{2}/i.test(decoded) || hasInvalidEncoding(uri);
}

/**
 * Returns `true` if a URI contains the percent-encoding of a character that is a delimiter or needs
 * no percent-encoding, so that the parts of the URI are different after decoding.
 */
export function hasNeedlessEncoding(uri: string): boolean {
  return /%(?:2[1-9a-f]|[3-6][0-9a-f]|7[0-9a-e])/i.test(uri);
}

function hasInvalidEncoding(uri: string): boolean {
  try {
    decodeURIComponent(uri);
    return false;
  } catch {
    return true;
  }
}

function decodeAll(uri: string): string {
  let text = uri;
  for (let count = 0; count < MAX_DECODINGS && text.includes("%"); count++) {
    const decoded = text.replaceAll(/(?:%[0-9a-f]{2})+/gi, decodeRun);
    if (decoded === text) break;
    text = decoded;
  }
  return text;
}

/** Decodes a sequence of encoded bytes. If the bytes are not UTF-8, decodes only ASCII. */
function decodeRun(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded.replaceAll(/%[0-7][0-9a-f]/gi, decodeURIComponent);
  }
}
