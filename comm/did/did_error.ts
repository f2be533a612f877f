/**
 * Errors from DID resolution and key selection.
 *
 * @module
 */

import { CommError } from "../shared/error.ts";
import { excerpt } from "@parley/internal/escape-text";
import { quote } from "@parley/internal/format-value";

/** Creates an error with code `did_invalid`. */
export function didInvalid(did: string, reason: string): CommError {
  const message = `Cannot accept DID ${quote(did)}: ${reason}`;
  return new CommError({ code: "did_invalid", details: { did: excerpt(did), reason }, message });
}

/** Creates an error with code `did_method_unsupported`. */
export function didMethodUnsupported(
  did: string,
  method: string,
): CommError {
  const message = `Cannot resolve DID ${quote(did)}: method ${quote(method)} is not supported`;
  return new CommError({ code: "did_method_unsupported", details: { did, method }, message });
}

/** Creates an error with code `did_resolution_failed`. */
export function didResolutionFailed(
  did: string,
  reason: string,
  options: { readonly cause?: unknown } = {},
): CommError {
  const message = `Cannot resolve DID ${quote(did)}: ${reason}`;
  return new CommError({
    code: "did_resolution_failed",
    details: { did, reason },
    ...options,
    message,
  });
}

/** Creates an error with code `did_deactivated`. */
export function didDeactivated(did: string): CommError {
  const message = `Cannot resolve DID ${quote(did)}: DID is deactivated`;
  return new CommError({ code: "did_deactivated", details: { did }, message });
}

/** Creates an error with code `key_not_found`. */
export function keyNotFound(did: string, reason: string): CommError {
  const message = `Cannot find key for DID ${quote(did)}: ${reason}`;
  return new CommError({ code: "key_not_found", details: { did, reason }, message });
}

/** Creates an error with code `key_unsupported`. */
export function keyUnsupported(
  did: string,
  types: readonly string[],
): CommError {
  const message = `Cannot use keys of DID ${quote(did)}: none of the key types is supported`;
  return new CommError({ code: "key_unsupported", details: { did, types }, message });
}

/** Creates an error with code `key_revoked`. */
export function keyRevoked(did: string, keyId: string): CommError {
  const message = `Cannot use key ${quote(keyId)}: key is revoked`;
  return new CommError({ code: "key_revoked", details: { did, keyId }, message });
}

/** Creates an error with code `key_expired`. */
export function keyExpired(did: string, keyId: string): CommError {
  const message = `Cannot use key ${quote(keyId)}: key has expired`;
  return new CommError({ code: "key_expired", details: { did, keyId }, message });
}
