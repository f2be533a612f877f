import { jwtVerifier, type JwtVerifierOptions } from "../auth/jwt_verifier.ts";
import type {
  PresentedToken,
  RefusedToken,
  TokenRefusal,
  VerifiedToken,
} from "../auth/token_verifier.ts";
import type { HttpFetch } from "../shared/http_types.ts";
import { SigningIssuer } from "./issuer.ts";
import { ISSUER, RESOURCE } from "./oauth.ts";

/** Presents a token to a verifier. */
export function show<Found>(
  verify: (presented: PresentedToken) => Promise<Found>,
  token: string,
  scheme: "bearer" | "dpop" = "bearer",
): Promise<Found> {
  const request = new Request(RESOURCE, {
    method: "POST",
    headers: { authorization: `${scheme} ${token}` },
  });
  return verify({ token, scheme, resource: RESOURCE, request });
}

/** Returns the subject of a valid token, or `undefined`. */
export function subjectOf(found: VerifiedToken | RefusedToken | undefined): string | undefined {
  return found !== undefined && "subject" in found ? found.subject : undefined;
}

/** An issuer and a verifier for its tokens. */
export interface Issued {
  readonly issuer: SigningIssuer;
  /** URLs of the verifier's requests. */
  readonly asked: readonly string[];
  /** Refused tokens. */
  readonly refusals: readonly TokenRefusal[];
  readonly verify: ReturnType<typeof jwtVerifier>;
}

/** Returns an issuer and a verifier for its tokens. */
export async function issue(options: Partial<JwtVerifierOptions> = {}): Promise<Issued> {
  const issuer = await SigningIssuer.make(options.issuer ?? ISSUER);
  const asked: string[] = [];
  const refusals: TokenRefusal[] = [];
  const fetch: HttpFetch = (url) => {
    asked.push(url);
    return issuer.keys();
  };
  const verify = jwtVerifier({
    issuer: ISSUER,
    jwksUri: `${ISSUER}/keys`,
    fetch,
    onRefused: (refusal) => refusals.push(refusal),
    ...options,
  });
  return { issuer, asked, refusals, verify };
}
