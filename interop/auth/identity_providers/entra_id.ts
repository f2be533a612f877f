import { jwtVerifier, type JwtVerifierOptions } from "@parley/mcp/auth";

const TENANT = "7e2f1c4a-0d1b-4c57-9c39-5b6a3f0a9e11";

// The audience is always the client id of the app registration of the MCP server. The subject is
// different for each application; "oid" and "tid" identify the user.
export const entraId: JwtVerifierOptions = {
  issuer: `https://login.microsoftonline.com/${TENANT}/v2.0`,
  audience: "b1d40f6a-53f0-4f7c-8a0e-3c1f6d2b9a77",
  typ: "any",
  scopeClaim: "scp",
  claimNames: ["oid", "tid"],
};

export const verify = jwtVerifier(entraId);
