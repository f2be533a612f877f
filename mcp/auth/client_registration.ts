/**
 * OAuth client identity at an authorization server: a configured client, a client ID metadata
 * document, or dynamic client registration (RFC 7591).
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration Client registration}
 * @module
 */

import { readRetryAfter } from "@parley/internal/retry-after";
import { McpError } from "../shared/error.ts";
import type { JsonObject } from "../shared/json.ts";
import { networkScopeOf } from "@parley/internal/network-scope";
import type { ClientIdentity } from "./client_authentication.ts";
import type { DiscoverySettings } from "./config.ts";
import type { IssuerMetadata } from "./discovery.ts";
import { quoteUntrusted } from "./quote_untrusted.ts";
import type { CredentialStore } from "./credential_store.ts";
import { parseObject } from "./parse_object.ts";
import { Secrets } from "./redact_secrets.ts";
import { type AuthHttpClient, toleratedError } from "./auth_http_client.ts";
import { describeOAuthError } from "./oauth_error.ts";

/**
 * How long before its expiration a client secret is replaced, in milliseconds. The margin allows
 * for a clock of the authorization server that is ahead.
 */
const CLOCK_MARGIN_MS = 30_000;

/**
 * Maximum length of an issuer and of each text in a registration, in characters. Several servers
 * share a store, which has a limited size.
 */
const MAX_STORED_CHARS = 8192;

/** Dependencies for client registration. */
export interface RegistrationContext {
  /** HTTP client for the authorization server. */
  readonly web: AuthHttpClient;
  /** Store for registrations. */
  readonly store: Pick<CredentialStore, "load" | "save">;
  /** Client settings. */
  readonly config: DiscoverySettings;
  /** Secrets of the client, to which the secrets of a registration are added. */
  readonly secrets: Secrets;
  /** Executes a task while no other client of this process that shares the store registers. */
  readonly exclusively: <T>(key: string, task: () => Promise<T>) => Promise<T>;
}

/**
 * Resolves the client credentials for an authorization server. Registers the client if neither a
 * configured client nor a client ID metadata document can be used.
 *
 * @throws {McpError} With code `auth_error` if the configured client belongs to a different
 * authorization server, dynamic client registration is not supported or fails, or the issuer or the
 * registration is too long.
 */
export async function resolveClient(
  issuer: IssuerMetadata,
  context: RegistrationContext,
): Promise<ClientIdentity> {
  const { config } = context;
  const { clientId, clientSecret, clientKey, clientMetadataUrl } = config;
  const key = clientKey === undefined ? {} : { clientKey };
  assertShort("the identifier of the authorization server", [issuer.issuer]);
  if (clientId !== undefined) {
    await assertKnown(clientId, issuer, context);
    return { clientId, ...key, ...(clientSecret === undefined ? {} : { clientSecret }) };
  }
  if (clientMetadataUrl !== undefined && issuer.client_id_metadata_document_supported === true) {
    return { clientId: clientMetadataUrl, ...key };
  }
  // Clients of several servers that have one authorization server share a registration, if they
  // would register with the same terms.
  return await loadKept(issuer, context) ??
    await context.exclusively(keyOf(issuer), async () => {
      const kept = await loadKept(issuer, context);
      return kept ?? await register(issuer, context);
    });
}

/** Loads the stored registration, if it can still be used. */
async function loadKept(
  issuer: IssuerMetadata,
  { store, secrets, config }: RegistrationContext,
): Promise<ClientIdentity | undefined> {
  const text = await store.load(keyOf(issuer));
  if (text !== undefined) addSecrets(secrets, parseObject(text));
  return readKept(text, config);
}

/**
 * Removes a stored client registration that the authorization server no longer accepts, unless
 * another client has registered since.
 */
export async function forgetRegistration(
  issuer: IssuerMetadata,
  clientId: string,
  { store }: Pick<RegistrationContext, "store">,
): Promise<void> {
  const { client_id } = parseObject(await store.load(keyOf(issuer)) ?? "") ?? {};
  if (client_id === clientId) await store.save(keyOf(issuer), undefined);
}

/**
 * Verifies that the configured client is registered with the given authorization server, so that
 * the client secret is not sent to a different server. If no issuer is configured, the first
 * authorization server is stored as the issuer.
 */
async function assertKnown(
  clientId: string,
  { issuer }: IssuerMetadata,
  { config, store }: RegistrationContext,
): Promise<void> {
  const key = `issuer of ${clientId}`;
  const known = config.issuer ?? await store.load(key);
  if (known === undefined) return await store.save(key, issuer);
  if (known === issuer) return;
  throw McpError.authError(
    `the client is registered with "${known}", not with ${quoteUntrusted(issuer)}`,
  );
}

async function register(
  issuer: IssuerMetadata,
  { web, store, config, secrets }: RegistrationContext,
): Promise<ClientIdentity> {
  const { registration_endpoint } = issuer;
  if (registration_endpoint === undefined) {
    throw McpError.authError(
      `"${issuer.issuer}" does not support client registration; set the "clientId" option`,
    );
  }
  const response = await web.fetch(registration_endpoint, {
    method: "POST",
    headers: { "accept": "application/json", "content-type": "application/json" },
    body: JSON.stringify(describeClient(issuer, config)),
  });
  const answer = await readAnswer(issuer, response);
  // The error of a store can contain the value that was being saved.
  addSecrets(secrets, answer);
  const identity = readIdentity(answer);
  if (identity === undefined) {
    throw McpError.authError(`registration response from "${issuer.issuer}" has no "client_id"`);
  }
  const from = { method: "register", server: issuer.issuer, httpStatus: response.status } as const;
  for (const what of deviationsOf(answer)) web.report(toleratedError({ ...from, what }));
  const { client_id, client_secret, client_secret_expires_at, token_endpoint_auth_method } = answer;
  // The response can contain other members of any size, which are not needed.
  const texts = Object.entries({ client_id, client_secret, token_endpoint_auth_method })
    .filter((entry): entry is [string, string] => typeof entry[1] === "string");
  assertShort(`a member of the registration at "${issuer.issuer}"`, texts.map(([, text]) => text));
  const isDated = typeof client_secret_expires_at === "number";
  await store.save(
    keyOf(issuer),
    JSON.stringify({
      ...Object.fromEntries(texts),
      ...(isDated && { client_secret_expires_at }),
      ...termsOf(config),
    }),
  );
  return identity;
}

/** @throws {McpError} With code `auth_error` if a text is too long. */
function assertShort(what: string, texts: readonly string[]): void {
  if (texts.every(({ length }) => length <= MAX_STORED_CHARS)) return;
  throw McpError.authError(`${what} has more than ${MAX_STORED_CHARS} characters`);
}

/** Builds the client metadata for a registration request (RFC 7591, section 2). */
function describeClient(
  { token_endpoint_auth_methods_supported: supported = ["client_secret_basic"] }: IssuerMetadata,
  { redirectUri, clientName, scope, dpop }: DiscoverySettings,
): JsonObject {
  const methods = ["none", "client_secret_basic", "client_secret_post"];
  return {
    client_name: clientName,
    redirect_uris: redirectUri === undefined ? [] : [redirectUri],
    application_type: isNative(redirectUri) ? "native" : "web",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: methods.find((name) => supported.includes(name)) ?? "none",
    ...(scope === undefined ? {} : { scope }),
    ...(dpop === undefined ? {} : { dpop_bound_access_tokens: true }),
  };
}

/**
 * Returns `true` for a native application, whose redirect URI is a loopback URL or has a custom
 * scheme (RFC 8252, section 7).
 */
function isNative(redirectUri: string | undefined): boolean {
  if (redirectUri === undefined || !URL.canParse(redirectUri)) return true;
  const { protocol, hostname } = new URL(redirectUri);
  return protocol !== "https:" || networkScopeOf(hostname) === "loopback";
}

/** @throws {McpError} With code `auth_error` if the registration was rejected. */
async function readAnswer(issuer: IssuerMetadata, response: Response): Promise<JsonObject> {
  const { status, headers } = response;
  const text = await response.text();
  const members = parseObject(text);
  const { error, client_id } = members ?? {};
  // Some servers send errors with status 200.
  const isError = client_id === undefined && error !== undefined && error !== null;
  if (response.ok && members !== undefined && !isError) return members;
  const secrets = new Secrets();
  addSecrets(secrets, members);
  const reason = response.ok && members === undefined
    ? `HTTP ${status}, and the body is not a JSON object`
    : describeOAuthError({ status, text, members }, secrets);
  const fact = issuer.isAssumed === true
    ? "has no authorization metadata and rejected the client registration"
    : "rejected the client registration";
  const retryAfterMs = readRetryAfter(headers.get("retry-after"));
  throw McpError.authError(`"${issuer.issuer}" ${fact}: ${reason}`, {
    httpStatus: status,
    retryAfterMs,
  });
}

/** Returns deviations from the standard that have only one meaning. */
function deviationsOf(
  { client_secret: secret, token_endpoint_auth_method: method }: JsonObject,
): readonly string[] {
  const deviations: string[] = [];
  if (secret === null) deviations.push('"client_secret" is null');
  if (secret === "") deviations.push('"client_secret" is empty');
  if (method === null) deviations.push('"token_endpoint_auth_method" is null');
  if (method === "") deviations.push('"token_endpoint_auth_method" is empty');
  return deviations;
}

/** Adds the secrets in a registration response. */
function addSecrets(secrets: Secrets, answer: JsonObject | undefined): void {
  for (const value of [answer?.client_secret, answer?.registration_access_token]) {
    if (typeof value === "string") secrets.add(value);
  }
}

function readIdentity(answer: JsonObject): ClientIdentity | undefined {
  const { client_id: clientId, client_secret: secret, token_endpoint_auth_method: method } = answer;
  if (typeof clientId !== "string" || clientId === "") return undefined;
  return {
    clientId,
    isRegistered: true,
    ...(typeof secret === "string" && secret !== "" ? { clientSecret: secret } : {}),
    // Some servers return an empty method instead of none.
    ...(typeof method === "string" && method !== "" ? { method } : {}),
  };
}

/**
 * Reads a stored registration. Returns `undefined` if the stored client secret has expired or the
 * client would register with other terms.
 */
function readKept(
  text: string | undefined,
  config: DiscoverySettings,
): ClientIdentity | undefined {
  if (text === undefined) return undefined;
  const value = parseObject(text) ?? {};
  const { client_secret_expires_at: expiresAt } = value;
  const isOver = typeof expiresAt === "number" && expiresAt > 0 &&
    expiresAt * 1000 <= Date.now() + CLOCK_MARGIN_MS;
  const isFit = Object.entries(termsOf(config)).every(([name, term]) => value[name] === term);
  return isOver || !isFit ? undefined : readIdentity(value);
}

/**
 * Returns the members of a registration outside of which an authorization server rejects requests:
 * another redirect URI, another scope, or tokens without a DPoP key.
 */
function termsOf(
  { redirectUri, scope, dpop }: DiscoverySettings,
): Readonly<Record<string, string | true | undefined>> {
  return {
    redirect_uri: redirectUri,
    scope,
    dpop_bound_access_tokens: dpop === undefined ? undefined : true,
  };
}

function keyOf({ issuer }: IssuerMetadata): string {
  return `client ${issuer}`;
}
