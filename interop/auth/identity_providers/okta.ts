import { jwtVerifier, type JwtVerifierOptions } from "@parley/mcp/auth";

// A custom authorization server, whose audience is the URL of the MCP server. Tokens of the org
// authorization server are only for Okta. Tokens name the client in "cid" and the user in "uid".
export const okta: JwtVerifierOptions = {
  issuer: "https://example.okta.com/oauth2/aus1",
  typ: "any",
  scopeClaim: "scp",
  claimNames: ["cid", "uid"],
};

export const verify = jwtVerifier(okta);
