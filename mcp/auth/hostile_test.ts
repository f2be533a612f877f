import { assert } from "@std/assert";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { McpError, McpErrorCode } from "../shared/error.ts";
import { ISSUER, OAuthWorld, RESOURCE } from "../testdata/oauth.ts";
import { networkScopeOf } from "@parley/internal/network-scope";
import { authorizedFetch } from "./authorized_fetch.ts";

const PLACES = {
  resource: "GET https://mcp.example/.well-known/oauth-protected-resource/mcp",
  issuer: `GET ${ISSUER}/.well-known/oauth-authorization-server`,
  register: `POST ${ISSUER}/register`,
  token: `POST ${ISSUER}/token`,
};

const address = fc.constantFrom(
  RESOURCE,
  ISSUER,
  `${ISSUER}/token`,
  "https://127.0.0.1/x",
  "http://169.254.169.254/latest",
  "https://[::1]",
  "https://10.0.0.1",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "//evil.example",
  "",
);

const value = fc.oneof(
  address,
  fc.array(address, { maxLength: 2 }),
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom("S256", ["S256"], "Bearer", "N_A", -1, 1e308, "9999999999999999999"),
);

/** An object with arbitrary values for the members that clients read. */
const document = fc.dictionary(
  fc.constantFrom(
    ...["resource", "authorization_servers", "scopes_supported", "issuer", "token_endpoint"],
    ...["authorization_endpoint", "registration_endpoint", "code_challenge_methods_supported"],
    ...["token_endpoint_auth_methods_supported", "client_id", "client_secret", "error"],
    ...["client_secret_expires_at", "token_endpoint_auth_method", "access_token", "token_type"],
    ...["expires_in", "refresh_token", "scope", "id_token", "error_description"],
  ),
  value,
);

/**
 * A server response: a valid document with some members replaced, an arbitrary document, or
 * arbitrary text.
 */
const answer = fc.record({
  kind: fc.constantFrom("mended", "any", "text"),
  document,
  text: fc.string(),
  status: fc.constantFrom(200, 201, 204, 302, 400, 401, 404, 500),
});

Deno.test("a call ends with a response or an McpError and contacts no other server, whatever the server responds", async () => {
  const answers = fc.record({ resource: answer, issuer: answer, register: answer, token: answer });
  await fc.assert(
    fc.asyncProperty(answers, fc.subarray(Object.keys(PLACES)), async (said, wrong) => {
      const world = new OAuthWorld();
      for (const [name, route] of Object.entries(PLACES)) {
        if (!wrong.includes(name)) continue;
        const { kind, document, text, status } = said[name as keyof typeof PLACES];
        if (kind === "mended" && name === "resource") world.resource = document;
        else if (kind === "mended" && name === "issuer") world.metadata = document;
        else if (kind === "mended" && name === "token") world.grant = document;
        else {
          world.answers[route] = () => {
            if (status === 204) return new Response(null, { status });
            return kind === "text"
              ? new Response(text, { status })
              : Response.json(document, { status });
          };
        }
      }
      const fetch = authorizedFetch(world.config, { resource: RESOURCE, fetch: world.fetch });
      try {
        await (await fetch(RESOURCE, { method: "POST" })).body?.cancel();
      } catch (error) {
        assert(error instanceof McpError, String(error));
        assert(error.code === McpErrorCode.AuthError, error.code);
      }
      for (const url of [...world.sent.map(({ url }) => new URL(url)), ...world.logins]) {
        assert(url.protocol === "https:" && networkScopeOf(url.hostname) === "public", url.href);
      }
    }),
    propertyRuns(150),
  );
});
