import { jwtVerifier, type JwtVerifierOptions } from "@parley/mcp/auth";

// The issuer ends with a slash. The API has the token profile RFC 9068; with the profile Auth0,
// add `typ: "any"`.
export const auth0: JwtVerifierOptions = {
  issuer: "https://example.eu.auth0.com/",
};

export const verify = jwtVerifier(auth0);
