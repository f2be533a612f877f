/**
 * Errors from the verification of JSON Web Signatures.
 *
 * @module
 */

import { quote } from "@parley/internal/format-value";
import { CommError } from "../shared/error.ts";

/** Creates an error with code `signature_malformed`. */
export function malformedSignature(reason: string): CommError {
  const message = `Cannot verify JSON: malformed signature: ${reason}`;
  return new CommError({ code: "signature_malformed", details: { reason }, message });
}

/** Creates an error with code `signature_unsupported`. */
export function unsupportedSignature(reason: string): CommError {
  const message = `Cannot verify JSON: unsupported signature: ${reason}`;
  return new CommError({ code: "signature_unsupported", details: { reason }, message });
}

/** Creates an error with code `signer_mismatch`. */
export function signerMismatch(expected: string, actual: string): CommError {
  const message = `Cannot verify JSON: expected signer ${quote(expected)}, got ${quote(actual)}`;
  return new CommError({ code: "signer_mismatch", details: { expected, actual }, message });
}

/** Creates an error with code `signature_invalid`. */
export function jsonSignatureInvalid(did: string): CommError {
  const message = `Cannot verify JSON: signature does not match the key of ${quote(did)}`;
  return new CommError({ code: "signature_invalid", details: { did }, message });
}
