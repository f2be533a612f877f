/**
 * DPoP keys of clients.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449 RFC 9449}
 * @module
 */

import * as oauth from "oauth4webapi";
import { McpError } from "../shared/error.ts";

/** A DPoP key and its thumbprint. */
export interface DpopKey {
  /** Handle that creates proofs. */
  readonly handle: oauth.DPoPHandle;
  /** SHA-256 thumbprint of the public key. */
  readonly jkt: string;
}

/**
 * Creates the DPoP key of a client. Returns `undefined` if DPoP is not configured.
 *
 * @throws {McpError} With code `auth_error` if the key pair is invalid.
 */
export async function createDpopKey(
  dpop: true | CryptoKeyPair | undefined,
): Promise<DpopKey | undefined> {
  if (dpop === undefined) return undefined;
  try {
    const handle = oauth.DPoP({}, dpop === true ? await oauth.generateKeyPair("ES256") : dpop);
    return { handle, jkt: await handle.calculateThumbprint() };
  } catch (cause) {
    throw McpError.authError("invalid DPoP key pair", { cause });
  }
}
