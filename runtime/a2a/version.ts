/**
 * Versions of the protocol.
 *
 * @see {@link https://a2a-protocol.org/latest/specification/#36-versioning Versioning}
 * @module
 */

const SUPPORTED = /^1\.0(\.\d+)?$/;

/**
 * Returns `true` if this package supports a version. A patch version does not affect compatibility,
 * and is not compared.
 */
export function isSupportedVersion(version: string): boolean {
  return SUPPORTED.test(version);
}
