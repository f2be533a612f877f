import type { HttpFetch, PresentedToken, RefusedToken, VerifiedToken } from "@parley/mcp/auth";

/** Returns a verifier for the opaque tokens that Google issues to the given clients. */
export function googleVerifier(clientIds: readonly string[], fetch: HttpFetch = globalThis.fetch) {
  return async (
    { token, request }: PresentedToken,
  ): Promise<VerifiedToken | RefusedToken | undefined> => {
    const url = `https://oauth2.googleapis.com/tokeninfo?access_token=${encodeURIComponent(token)}`;
    const response = await fetch(url, { signal: request.signal });
    const { aud, sub, scope, exp } = await response.json();
    if (response.status === 400) return undefined; // invalid or expired
    if (response.status !== 200) throw new Error(`Cannot verify the token: ${response.status}`);
    if (!clientIds.includes(aud)) return { refused: { reason: "audience" } };
    // The authorization request must have the scope "openid".
    if (sub === undefined) return { refused: { reason: "missing_claim" } };
    return { subject: sub, scopes: scope.split(" "), clientId: aud, expiresAt: exp * 1000 };
  };
}
