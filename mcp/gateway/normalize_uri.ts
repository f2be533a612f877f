/**
 * Compares URIs that different servers may treat as equal.
 *
 * @module
 */

/**
 * Returns a URI in lower case and without percent-encoding. Two URIs with different results differ
 * for every server; two URIs with the same result may differ.
 */
export function normalizeUri(uri: string): string {
  const text = uri.replaceAll(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
  // `toLowerCase()` changes the length of some characters outside of ASCII.
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** Returns `true` if a URI has the given normalized form. */
export function resembles(uri: string, normalized: string): boolean {
  // Most URIs differ in their length, which is faster to compare.
  if (!uri.includes("%") && uri.length !== normalized.length) return false;
  return normalizeUri(uri) === normalized;
}
