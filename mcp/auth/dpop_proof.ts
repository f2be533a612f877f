/**
 * Verification of DPoP proofs at a resource server.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-4.3 RFC 9449, section 4.3}
 * @module
 */

import { callWithin } from "@parley/internal/call-within";
import { formatValue } from "@parley/internal/format-value";
import { isRecord } from "@parley/internal/json";
import { McpError } from "../shared/error.ts";
import { isPending } from "../shared/then_or_now.ts";
import { toBase64Url } from "./base64url.ts";
import type { DpopProof, DpopReplayStore } from "./dpop_replay_cache.ts";
import { type Claims, show, verifySelfSigned } from "./jwt.ts";
import type { PresentedToken, TokenRefusal } from "./token_verifier.ts";

/** Maximum difference between the `iat` of a proof and the current time, in milliseconds. */
const PROOF_MS = 300_000;

/**
 * Additional time for which a proof is stored, in milliseconds. Proofs are validated with the clock
 * of this process. The margin allows for a store whose clock is ahead, and for a clock that is set.
 */
const CLOCK_MARGIN_MS = 60_000;

/** Maximum length of a proof, in characters. */
const MAX_CHARS = 16_384;

/** The key that a token is bound to, or the fault of the binding. */
type Binding = { readonly thumbprint: string } | { readonly fault: string };

/**
 * Verifies that a token and its proof belong together. Returns `undefined` if the token is a bearer
 * token and was presented without a proof.
 *
 * @param presented Token, and the request with the proof.
 * @param claims Verified claims of the token.
 */
export async function verifyProof(
  presented: PresentedToken,
  claims: Claims & { readonly sub: string },
): Promise<DpopProof | TokenRefusal | undefined> {
  const { scheme, request } = presented;
  const proof = request.headers.get("dpop");
  if (!Object.hasOwn(claims, "cnf") && scheme === "bearer" && proof === null) return undefined;
  const binding = readBinding(claims.cnf);
  if ("fault" in binding) return refused(binding.fault);
  if (scheme !== "dpop") return refused("a DPoP-bound token must have the scheme DPoP");
  if (proof === null) return refused("the request has no DPoP proof");
  if (proof.length > MAX_CHARS) return refused(`the proof is longer than ${MAX_CHARS} characters`);
  const required = ["iat", "jti", "ath", "htm", "htu"];
  const verified = await verifySelfSigned(proof, "dpop+jwt", required);
  if (typeof verified === "string") return refused(`the proof is not valid: ${verified}`);
  if (verified.thumbprint !== binding.thumbprint) {
    return refused("the proof is signed with another key than the token is bound to");
  }
  const fault = await findFault(verified.claims, presented);
  if (fault !== undefined) return refused(fault);
  const expiresAt = Number(verified.claims.iat) * 1000 + PROOF_MS + CLOCK_MARGIN_MS;
  return { key: await identify(proof), expiresAt, subject: claims.sub };
}

/**
 * Reads the confirmation claim (RFC 7800). A token that is also bound to something else, such as a
 * client certificate, is rejected, because that binding cannot be verified.
 */
function readBinding(cnf: unknown): Binding {
  if (cnf === undefined) return { fault: "the token is not DPoP-bound" };
  const [name, ...more] = isRecord(cnf) ? Object.keys(cnf) : [];
  const thumbprint = isRecord(cnf) && name === "jkt" && more.length === 0 ? cnf.jkt : undefined;
  if (typeof thumbprint === "string") return { thumbprint };
  return { fault: `"cnf" must have "jkt" as its only member, got ${show(cnf)}` };
}

/** Returns a text that states the fault of a proof for this request and token. */
async function findFault(
  { iat, jti, ath, htm, htu }: Claims,
  { token, request }: PresentedToken,
): Promise<string | undefined> {
  if (typeof iat !== "number" || Math.abs(Date.now() - iat * 1000) > PROOF_MS) {
    const now = Math.floor(Date.now() / 1000);
    return `"iat" of the proof must be within ${PROOF_MS / 1000} s of ${now}, got ${show(iat)}`;
  }
  if (typeof jti !== "string") return `"jti" of the proof must be a string, got ${show(jti)}`;
  if (htm !== request.method) {
    return `"htm" of the proof must be ${show(request.method)}, got ${show(htm)}`;
  }
  const url = withoutQuery(request.url);
  if (typeof htu !== "string" || withoutQuery(htu) !== url) {
    return `"htu" of the proof must be ${show(url)}, got ${show(htu)}`;
  }
  return ath === await digest(token) ? undefined : `"ath" of the proof is for another token`;
}

/** Returns the normalized URL without query and fragment. */
function withoutQuery(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  url.search = "";
  url.hash = "";
  return url.href;
}

/**
 * Returns a digest of the header and the payload. The digest does not include the signature,
 * because some algorithms allow several encodings of the same signature.
 */
function identify(proof: string): Promise<string> {
  return digest(proof.slice(0, proof.lastIndexOf(".")));
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return toBase64Url(new Uint8Array(bytes));
}

function refused(detail: string): TokenRefusal {
  return { reason: "dpop", detail };
}

/**
 * Adds a proof to the store. Returns `false` if the store contains the proof.
 *
 * @throws {McpError} With code `auth_error` if the store is full, fails, does not respond in time
 * or returns an invalid result.
 */
export async function addProof(
  store: DpopReplayStore,
  proof: DpopProof,
  { request, timeoutMs }: { readonly request: Request; readonly timeoutMs: number },
): Promise<boolean> {
  const late = (): Error => new Error(`timed out after ${timeoutMs} ms`);
  let added: unknown;
  try {
    const result = store.add(proof);
    added = isPending(result)
      ? await callWithin(() => result, { signal: request.signal, timeoutMs, late })
      : result;
  } catch (cause) {
    request.signal.throwIfAborted();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw McpError.authError(`the DPoP replay store failed: ${reason}`, { cause });
  }
  if (added === true || added === false) return added;
  throw McpError.authError(
    added === "full"
      ? 'too many DPoP proofs are stored: "maxProofs" or "maxSharePerPrincipal" is exceeded'
      : `the DPoP replay store must return true, false or "full", got ${formatValue(added)}`,
  );
}
