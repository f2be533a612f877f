/**
 * Credentials for the authorization scenarios of the official conformance suite.
 *
 * @module
 */

import { type AuthConfig, type Authorize, identityAssertion } from "@parley/mcp/auth";

/** Scenario context that the conformance suite passes. */
export type ScenarioContext = Readonly<Record<string, unknown>>;

const REDIRECT_URI = "http://127.0.0.1:8910/callback";
const CLIENT_METADATA_URL = "https://conformance-test.local/client-metadata.json";

/**
 * Returns the configuration for a scenario, or `undefined` if the scenario requires no credentials.
 */
export async function authFor(
  scenario: string,
  context: ScenarioContext,
): Promise<AuthConfig | undefined> {
  if (!scenario.startsWith("auth/")) return undefined;
  const client = clientOf(context);
  switch (scenario) {
    case "auth/client-credentials-basic":
      return { discover: true, ...client, grant: { type: "client_credentials" } };
    case "auth/client-credentials-jwt": {
      const key = await importKey(textOf(context, "private_key_pem"));
      return {
        discover: true,
        ...client,
        clientKey: { key },
        grant: { type: "client_credentials" },
      };
    }
    case "auth/wif-jwt-bearer": {
      const grant = { type: "jwt_bearer", assertion: () => textOf(context, "valid_jwt") } as const;
      return { discover: true, ...client, grant };
    }
    case "auth/enterprise-managed-authorization": {
      const assertion = identityAssertion({
        tokenUrl: textOf(context, "idp_token_endpoint"),
        clientId: textOf(context, "idp_client_id"),
        subjectToken: textOf(context, "idp_id_token"),
      });
      return { discover: true, ...client, grant: { type: "jwt_bearer", assertion } };
    }
    default: {
      const login = { redirectUri: REDIRECT_URI, authorize: agree };
      const dpop = scenario.startsWith("auth/dpop") ? { dpop: true } as const : {};
      const document = { clientMetadataUrl: CLIENT_METADATA_URL };
      return { discover: true, ...login, ...client, ...document, ...dpop };
    }
  }
}

/**
 * Approves the authorization request. The conformance suite redirects immediately, without a login
 * page.
 */
const agree: Authorize = async function (url, { signal }) {
  const response = await fetch(url, { redirect: "manual", signal });
  await response.body?.cancel();
  return response.headers.get("location") ?? "";
};

function clientOf({ client_id, client_secret }: ScenarioContext): {
  readonly clientId?: string;
  readonly clientSecret?: string;
} {
  return {
    ...(typeof client_id === "string" ? { clientId: client_id } : {}),
    ...(typeof client_secret === "string" ? { clientSecret: client_secret } : {}),
  };
}

async function importKey(pem: string): Promise<CryptoKey> {
  const base64 = pem.replace(/-----[^-]+-----|\s/g, "");
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  return await crypto.subtle.importKey("pkcs8", bytes, algorithm, false, ["sign"]);
}

function textOf(context: ScenarioContext, name: string): string {
  const value = context[name];
  if (typeof value !== "string") throw new TypeError(`"${name}" must be a string`);
  return value;
}
