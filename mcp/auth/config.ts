/**
 * Authorization settings for a client.
 *
 * @module
 */

import { formatValue } from "@parley/internal/format-value";
import {
  assertCount,
  assertFunction,
  assertObject,
  assertOptionalBoolean,
  assertPositiveNumber,
  assertString,
  rejectArgument,
} from "@parley/internal/assert-argument";
import { isRecord } from "@parley/internal/json";
import { arrayOf, oneOf, withMethods } from "@parley/internal/option-checks";
import {
  type OptionsReader,
  optionsReader,
  required,
  type Settings,
  withDefault,
} from "@parley/internal/options";
import { networkScopeOf } from "@parley/internal/network-scope";
import type { CredentialStore } from "./credential_store.ts";
import type { TokenSourceConfig } from "./token_source_config.ts";

/** Context of a login. */
export interface LoginContext {
  /** Signal that is aborted when the login times out or all callers have aborted. */
  readonly signal: AbortSignal;
}

/**
 * Opens the authorization URL in a browser. Returns the URL that the browser was redirected to: the
 * redirect URI with the authorization response parameters.
 */
export type Authorize = (
  url: URL,
  context: LoginContext,
) => Promise<URL | URLSearchParams | string>;

/** Private key for client authentication with a signed JWT (RFC 7523). */
export interface ClientKey {
  /** Private key with the usage `sign`. */
  readonly key: CryptoKey;
  /** Key identifier (`kid`) that is registered with the authorization server. */
  readonly kid?: string;
}

/** Parameters of {@linkcode GetAssertion}. */
export interface AssertionRequest {
  /** Issuer identifier of the authorization server, which is the audience of the assertion. */
  readonly issuer: string;
  /** Resource indicator of the MCP server (RFC 8707). */
  readonly resource: string;
  /** Requested scopes, separated by spaces. */
  readonly scope?: string;
  /** A `fetch` function with a timeout and a response size limit. */
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  /** Signal that is aborted when all callers have aborted. */
  readonly signal: AbortSignal;
}

/**
 * Returns a JWT assertion (RFC 7523), for example from a workload platform or an identity provider.
 */
export type GetAssertion = (target: AssertionRequest) => Promise<string> | string;

/** OAuth grants without user interaction. */
export type MachineGrant =
  /** Client credentials grant (RFC 6749, section 4.4). */
  | { readonly type: "client_credentials" }
  /** JWT bearer grant (RFC 7523), for workload identity or enterprise-managed authorization. */
  | { readonly type: "jwt_bearer"; readonly assertion: GetAssertion };

/** Options common to all authorization configurations. */
export interface AuthOptions {
  /** Requested scopes, separated by spaces; by default, the scopes that the server requires. */
  readonly scope?: string;
  /**
   * Store for tokens and client registrations; by default, an in-memory store that only this client
   * uses. Clients that share a store share one login.
   */
  readonly store?: CredentialStore;
  /**
   * Identifiers that the protected resource metadata may contain instead of the server URL, for
   * example the origin. A token for such an identifier may also be accepted by other servers, and
   * is sent to this server. If omitted, only the server URL is accepted.
   *
   * @see {@link https://www.rfc-editor.org/rfc/rfc9728#section-3.3 RFC 9728, section 3.3}
   */
  readonly acceptedResources?: readonly string[];
  /**
   * Called with errors that no caller receives: refresh tokens that are discarded, responses that
   * are accepted or treated as absent although they do not follow the standard (each kind once),
   * and locks that cannot be released. The errors contain no secrets. If omitted, `onError` of the
   * `McpClient` is called; for `authorizedFetch`, errors are printed to standard error: each error
   * once, and at most 20 per minute. Pass `() => {}` to ignore errors.
   */
  readonly onError?: (error: unknown) => void;
  /**
   * Requests DPoP-bound access tokens (RFC 9449), which are useless without the private key. `true`
   * generates a DPoP key pair. If `store` outlives the process or several processes share it, pass
   * the same key pair with an extractable public key in each process: tokens in the store that are
   * bound to another key are ignored. If omitted, bearer tokens are requested.
   */
  readonly dpop?: true | CryptoKeyPair;
  /**
   * Timeout for a request to an authorization server and for loading or saving a value in `store`,
   * in milliseconds.
   *
   * @default {10_000}
   */
  readonly requestTimeoutMs?: number;
  /**
   * Timeout for the login, for the `assertion` function of a grant, and for waiting while another
   * client that shares `store` logs in, in milliseconds.
   *
   * @default {600_000}
   */
  readonly loginTimeoutMs?: number;
  /**
   * Maximum size of a response from an authorization server, in bytes.
   *
   * @default {262_144}
   */
  readonly maxResponseBytes?: number;
  /**
   * Maximum number of times that a request is repeated with new tokens.
   *
   * @default {3}
   */
  readonly maxAttempts?: number;
  /**
   * Whether a public server can refer the client to authorization servers with private-network
   * URLs.
   *
   * @default {false}
   */
  readonly allowPrivateAddresses?: boolean;
}

/**
 * Configuration for a client that is registered with an authorization server whose endpoints are
 * known.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.1 RFC 6749, section 4.1}
 * @see {@link https://www.rfc-editor.org/rfc/rfc7636 RFC 7636}
 */
export interface OAuthConfig extends AuthOptions {
  /** Client identifier. */
  readonly clientId: string;
  /** Client secret; omit for public clients, such as desktop applications. */
  readonly clientSecret?: string;
  /** Redirect URI. */
  readonly redirectUri: string;
  /** URL of the authorization endpoint. */
  readonly authUrl: string;
  /** URL of the token endpoint. */
  readonly tokenUrl: string;
  /**
   * Issuer identifier of the authorization server. If `issuer` is set, responses from other issuers
   * are rejected. If omitted, the issuer is not verified.
   */
  readonly issuer?: string;
  /** Opens the authorization URL in a browser. If omitted, any required login fails. */
  readonly authorize?: Authorize;
  /** `discover` must not be `true`, which selects {@linkcode DiscoveryConfig}. */
  readonly discover?: false;
}

/**
 * Configuration for a client that discovers the authorization server through the MCP server, and
 * registers with it if necessary.
 *
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization Authorization}
 */
export interface DiscoveryConfig extends AuthOptions {
  /** `discover: true` selects `DiscoveryConfig`. */
  readonly discover: true;
  /** Client identifier at an authorization server where the client is already registered. */
  readonly clientId?: string;
  /** Client secret; omit for public clients. */
  readonly clientSecret?: string;
  /** Private key for client authentication, used instead of a client secret. */
  readonly clientKey?: ClientKey;
  /**
   * Issuer identifier of the authorization server that issued `clientId`. `clientId` is not sent to
   * other authorization servers. If `issuer` is omitted, the first authorization server that is
   * discovered is used, and its issuer identifier is saved in the store.
   */
  readonly issuer?: string;
  /**
   * URL of a client ID metadata document, used as the client identifier if the authorization server
   * supports client ID metadata documents.
   */
  readonly clientMetadataUrl?: string;
  /**
   * Client name for dynamic client registration.
   *
   * @default {"parley"}
   */
  readonly clientName?: string;
  /** Redirect URI, required unless `grant` is set. */
  readonly redirectUri?: string;
  /** Opens the authorization URL in a browser. If omitted, any required login fails. */
  readonly authorize?: Authorize;
  /** Grant without user interaction. If omitted, the authorization code flow is used. */
  readonly grant?: MachineGrant;
}

/** Authorization settings for a client. */
export type AuthConfig = OAuthConfig | DiscoveryConfig | TokenSourceConfig;

/** Default timeout for a request to an authorization server, in milliseconds. */
export const REQUEST_TIMEOUT_MS = 10_000;

/** Default maximum size of a response from an authorization server, in bytes. */
export const MAX_RESPONSE_BYTES = 262_144;

/** Options common to all authorization configurations that have a default. */
type AuthDefault =
  | "requestTimeoutMs"
  | "loginTimeoutMs"
  | "maxResponseBytes"
  | "maxAttempts"
  | "allowPrivateAddresses";

/** Configuration with known endpoints, after reading. */
export type OAuthSettings = Settings<OAuthConfig, AuthDefault>;

/** Configuration with discovery, after reading. */
export type DiscoverySettings = Settings<DiscoveryConfig, AuthDefault | "clientName">;

/** Authorization settings for a client, after reading. */
export type AuthSettings = OAuthSettings | DiscoverySettings;

const AUTH_RULES = {
  scope: assertString,
  store: assertStore,
  acceptedResources: arrayOf("URIs", assertUri),
  onError: assertFunction,
  dpop: assertDpop,
  requestTimeoutMs: withDefault(REQUEST_TIMEOUT_MS, assertPositiveNumber),
  loginTimeoutMs: withDefault(600_000, assertPositiveNumber),
  maxResponseBytes: withDefault(MAX_RESPONSE_BYTES, assertCount),
  maxAttempts: withDefault(3, assertCount),
  allowPrivateAddresses: withDefault(false, assertOptionalBoolean),
};

const readFixed = optionsReader<OAuthConfig>("config")({
  ...AUTH_RULES,
  clientId: required(assertFixed),
  clientSecret: assertString,
  redirectUri: required((name, value) => {
    assertFixed(name, value);
    assertRedirectUri(name, value);
  }),
  authUrl: required(assertFixed),
  tokenUrl: required(assertFixed),
  issuer: assertString,
  authorize: assertFunction,
  discover: assertOptionalBoolean,
});

const readDiscovery = optionsReader<DiscoveryConfig>("config")({
  ...AUTH_RULES,
  discover: required(assertOptionalBoolean),
  clientId: assertString,
  clientSecret: assertString,
  clientKey: assertObject,
  issuer: assertString,
  clientMetadataUrl: assertMetadataUrl,
  clientName: withDefault("parley", assertString),
  redirectUri: assertRedirectUri,
  authorize: assertFunction,
  grant: assertObject,
});

/** Reads a private key for client authentication. */
export const readClientKey: OptionsReader<ClientKey, never> = optionsReader<ClientKey>("clientKey")(
  {
    key: required(assertObject),
    kid: assertString,
  },
);

const readClientCredentials = optionsReader<
  Extract<MachineGrant, { readonly type: "client_credentials" }>
>("grant")({ type: required(assertString) });

const readJwtBearer = optionsReader<Extract<MachineGrant, { readonly type: "jwt_bearer" }>>(
  "grant",
)({ type: required(assertString), assertion: required(assertFunction) });

/**
 * Reads the authorization settings of a client that obtains its tokens itself.
 *
 * @param at The settings, as the caller spells them.
 * @throws {TypeError} If a name is not an option, or an option is missing or has the wrong type.
 * @throws {RangeError} If a limit is not a positive integer, or a timeout is not a positive number.
 */
export function readAuth(
  config: OAuthConfig | DiscoveryConfig,
  at = "config",
): AuthSettings {
  assertObject(at, config);
  assertOptionalBoolean(at === "config" ? "discover" : `${at}.discover`, config.discover);
  return config.discover === true ? readDiscoveryConfig(config, at) : readFixed(config, at);
}

/** Reads authorization settings with discovery; see {@linkcode readAuth}. */
export function readDiscoveryConfig(config: DiscoveryConfig, at = "config"): DiscoverySettings {
  const settings = readDiscovery(config, at);
  const path = at === "config" ? "" : `${at}.`;
  const { clientKey, grant, clientId } = settings;
  if (clientKey !== undefined) readClientKey(clientKey, `${path}clientKey`);
  if (grant === undefined) return settings;
  readGrant(grant, `${path}grant`);
  assertString(`${path}clientId`, clientId);
  return settings;
}

function readGrant(grant: MachineGrant, at: string): void {
  switch (grant.type) {
    case "client_credentials":
      return void readClientCredentials(grant, at);
    case "jwt_bearer":
      return void readJwtBearer(grant, at);
    default:
      oneOf("client_credentials", "jwt_bearer")(`${at}.type`, Reflect.get(grant, "type"));
  }
}

/** Throws unless a value, which discovery would make unnecessary, is a string. */
function assertFixed(name: string, value: unknown): void {
  if (typeof value !== "string") {
    rejectArgument(name, "a string", value, 'or set "discover" to true');
  }
}

const assertStoreMethods = withMethods("a CredentialStore", ["load", "save"]);

function assertStore(name: string, value: unknown): void {
  assertStoreMethods(name, value);
  // A lock that is not a function would be ignored.
  if (isRecord(value) && value.lock !== undefined) assertFunction(`${name}.lock`, value.lock);
}

function assertUri(name: string, value: unknown): void {
  assertString(name, value);
  if (!URL.canParse(value)) rejectArgument(name, "a URI", value);
}

function assertDpop(name: string, value: unknown): void {
  if (value !== true && !isRecord(value)) rejectArgument(name, "true or a key pair", value);
}

/**
 * Rejects a redirect URI that uses plain HTTP, because the authorization code would cross the
 * network unencrypted. Loopback URLs and custom schemes are allowed (RFC 8252, section 7).
 */
function assertRedirectUri(name: string, redirectUri: unknown): void {
  assertString(name, redirectUri);
  const url = URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;
  const isClear = url?.protocol === "http:" && networkScopeOf(url.hostname) !== "loopback";
  if (url !== undefined && !isClear) return;
  throw new TypeError(
    `"${name}" must be an HTTPS, loopback HTTP or custom-scheme URL, got ${
      formatValue(redirectUri)
    }`,
  );
}

/**
 * Validates the URL of a client ID metadata document: HTTPS with a path
 * (draft-ietf-oauth-client-id-metadata-document, section 3).
 */
function assertMetadataUrl(name: string, address: unknown): void {
  assertString(name, address);
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === "https:" && url.pathname !== "/") return;
  throw new TypeError(
    `"${name}" must be an HTTPS URL with a path, got ${formatValue(address)}`,
  );
}
