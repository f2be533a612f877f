/**
 * How a client gets its credentials: what the user of this library writes down.
 *
 * @module
 */

import { networkScopeOf } from "./url_policy.ts";
import type { CredentialStore } from "./credential_store.ts";

/** What a login gets beside its address. */
export interface LoginContext {
  /** Aborts when nobody waits for the login any more, or it takes too long. */
  readonly signal: AbortSignal;
}

/**
 * Leads a person to an address in a browser, and comes back with the address that the browser was sent to in the end: the
 * redirect URI with what the authorization server has added to it.
 */
export type Authorize = (
  url: URL,
  context: LoginContext,
) => Promise<URL | URLSearchParams | string>;

/** A private key that a client signs with to show who it is. */
export interface ClientKey {
  /** The key, with the usage `sign`. */
  readonly key: CryptoKey;
  /** The name under which the authorization server knows it. */
  readonly kid?: string;
}

/** For whom an assertion has to be. */
export interface AssertionRequest {
  /** The authorization server that will read it: its audience. */
  readonly issuer: string;
  /** The MCP server that is to be used. */
  readonly resource: string;
  /** The scopes that are wanted, if any are. */
  readonly scope?: string;
  /** Makes requests, with time-outs and limits. */
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>;
  /** Aborts when nobody waits for it any more. */
  readonly signal: AbortSignal;
}

/** Gives a JWT that says in whose name the client acts: one from a platform, or from an identity provider. */
export type GetAssertion = (target: AssertionRequest) => Promise<string> | string;

/** How a client gets tokens without a person. */
export type MachineGrant =
  /** In its own name, with its secret or key. */
  | { readonly type: "client_credentials" }
  /** With an assertion: workload identity, or enterprise-managed authorization. */
  | { readonly type: "jwt_bearer"; readonly assertion: GetAssertion };

/** What can be set however credentials are got. */
export interface AuthOptions {
  /** The scopes to ask for, separated by spaces. Default: what the server says it needs. */
  readonly scope?: string;
  /** Where tokens and credentials are kept. Default: in memory, for this client alone. */
  readonly store?: CredentialStore;
  /**
   * Binds tokens to a key (DPoP), so that they are of no use to a thief: `true` makes a new key; give one when the store
   * outlives the program. Its public half has to be extractable. Default: tokens are not bound.
   */
  readonly dpop?: true | CryptoKeyPair;
  /** How long a request to an authorization server may take, in milliseconds. Default 10 000. */
  readonly requestTimeoutMs?: number;
  /** How long a person may take for a login, in milliseconds. Default 600 000. */
  readonly loginTimeoutMs?: number;
  /** How long an answer of an authorization server may be, in bytes. Default 256 KiB. */
  readonly maxResponseBytes?: number;
  /** How often a call may be tried with new credentials before it fails. Default 3. */
  readonly maxAttempts?: number;
  /** Whether a server on the web may name private addresses for the authorization server. Default false. */
  readonly allowPrivateAddresses?: boolean;
}

/**
 * A client that is registered with one authorization server, whose addresses are known.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.1 RFC 6749, section 4.1}
 * @see {@link https://www.rfc-editor.org/rfc/rfc7636 RFC 7636}
 */
export interface OAuthConfig extends AuthOptions {
  /** The client, as the authorization server knows it. */
  readonly clientId: string;
  /** Its secret; absent for public clients, such as programs on people's machines. */
  readonly clientSecret?: string;
  /** Where the browser is sent after the login. */
  readonly redirectUri: string;
  /** Where people log in: the authorization endpoint. */
  readonly authUrl: string;
  /** Where codes become tokens: the token endpoint. */
  readonly tokenUrl: string;
  /** The name of the authorization server; when given, answers of another one are refused. */
  readonly issuer?: string;
  /** Leads a person through the login. Without it, a login fails. */
  readonly authorize?: Authorize;
  /** Not set: that would be a {@linkcode DiscoveryConfig}. */
  readonly discover?: false;
}

/**
 * A client that finds out from the MCP server where to log in, and registers there as far as that is needed.
 *
 * @see {@link https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization Authorization}
 */
export interface DiscoveryConfig extends AuthOptions {
  /** Says that this is what is wanted. */
  readonly discover: true;
  /** The client, as an authorization server knows it that it is registered with. */
  readonly clientId?: string;
  /** Its secret; absent for public clients. */
  readonly clientSecret?: string;
  /** Its private key, instead of a secret. */
  readonly clientKey?: ClientKey;
  /**
   * The authorization server that knows `clientId`; another one does not get to see it. Default: the first that a server
   * names, for as long as the store lasts.
   */
  readonly issuer?: string;
  /** The address of a document that describes the client, where an authorization server takes that as its name. */
  readonly clientMetadataUrl?: string;
  /** What the client is called where it registers by itself. Default `parley`. */
  readonly clientName?: string;
  /** Where the browser is sent after the login. Needed unless there is a `grant`. */
  readonly redirectUri?: string;
  /** Leads a person through the login. Without it, a login fails. */
  readonly authorize?: Authorize;
  /** How tokens are got without a person. Default: a person logs in. */
  readonly grant?: MachineGrant;
}

/** How a client gets its credentials. */
export type AuthConfig = OAuthConfig | DiscoveryConfig;

/** The defaults of the options. */
export const DEFAULTS = {
  requestTimeoutMs: 10_000,
  loginTimeoutMs: 600_000,
  maxResponseBytes: 262_144,
  maxAttempts: 3,
} as const;

/**
 * Checks what does not depend on any server.
 *
 * @throws {TypeError} when something is missing or of the wrong shape
 * @throws {RangeError} when a limit is not above 0
 */
export function checkConfig(config: AuthConfig): void {
  for (
    const name of ["requestTimeoutMs", "loginTimeoutMs", "maxResponseBytes", "maxAttempts"] as const
  ) {
    const value = config[name] ?? DEFAULTS[name];
    if (!(value > 0)) throw new RangeError(`Cannot authorize: ${name} is ${value}`);
  }
  const needed = config.discover === true
    ? config.grant === undefined ? [] : ["clientId"] as const
    : ["clientId", "redirectUri", "authUrl", "tokenUrl"] as const;
  for (const name of needed) {
    if (typeof Reflect.get(config, name) !== "string") {
      throw new TypeError(`Cannot authorize: "${name}" is missing`);
    }
  }
  if (config.redirectUri !== undefined) checkRedirectUri(config.redirectUri);
  if (config.discover === true && config.clientMetadataUrl !== undefined) {
    checkMetadataUrl(config.clientMetadataUrl);
  }
}

/** A code must not come back over the network in the clear; programs may have a scheme of their own. */
function checkRedirectUri(redirectUri: string): void {
  const url = URL.canParse(redirectUri) ? new URL(redirectUri) : undefined;
  const isClear = url?.protocol === "http:" && networkScopeOf(url.hostname) !== "loopback";
  if (url !== undefined && !isClear) return;
  throw new TypeError(`Cannot authorize: no login may come back to "${redirectUri}"`);
}

/** The draft on client ID metadata documents wants HTTPS and a path. */
function checkMetadataUrl(address: string): void {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === "https:" && url.pathname !== "/") return;
  throw new TypeError(`Cannot authorize: "${address}" is no address of a client's document`);
}
