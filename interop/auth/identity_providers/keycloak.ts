import { jwtVerifier, type JwtVerifierOptions } from "@parley/mcp/auth";

// Tokens have the type JWT unless the client is configured to use "at+jwt".
export const keycloak: JwtVerifierOptions = {
  issuer: "https://keycloak.example.com/realms/main",
  typ: "any",
};

export const verify = jwtVerifier(keycloak);
