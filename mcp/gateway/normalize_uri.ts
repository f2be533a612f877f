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
  return text.toLowerCase();
}
