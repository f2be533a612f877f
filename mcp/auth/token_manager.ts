/**
 * Obtains, refreshes and stores a client's access token for an MCP server. Concurrent requests
 * share one login.
 *
 * @module
 */

import * as oauth from "oauth4webapi";
import { McpError } from "../shared/error.ts";
import { SharedOperation } from "../shared/shared_operation.ts";
import type { HttpFetch } from "../shared/http_types.ts";
import { parseTrustedUrl } from "./url_policy.ts";
import type { AuthChallenge } from "./www_authenticate.ts";
import type { ClientIdentity } from "./client_authentication.ts";
import type { AuthSettings } from "./config.ts";
import {
  type GrantContext,
  grantTokens,
  machineGrantOf,
  refreshTokens,
  wantedScope,
} from "./grants.ts";
import { forgetRegistration, resolveClient } from "./client_registration.ts";
import { type CredentialStore, memoryStore, reportStoreErrors } from "./credential_store.ts";
import { type AuthorizationTarget, findAuthorizationServer } from "./find_authorization_server.ts";
import { parseTokens, readTokens, type TokenResponse, type Tokens } from "./tokens.ts";
import { AuthHttpClient } from "./auth_http_client.ts";

/** How long before expiration tokens are refreshed, in milliseconds. */
const MARGIN_MS = 30_000;

/** Token error codes that make a refresh token unusable, so a new grant is required. */
const USED_UP = ["invalid_grant", "invalid_client", "unauthorized_client"];

/** Manages a client's tokens for an MCP server. */
export class TokenManager {
  readonly #server: URL;
  readonly #config: AuthSettings;
  readonly #fetch: HttpFetch;
  readonly #store: CredentialStore;
  #dpop: Promise<oauth.DPoPHandle | undefined> | undefined;
  #loading: Promise<void> | undefined;
  readonly #renewal = new SharedOperation();
  #tokens: Tokens | undefined;
  /** Challenge that led to the last successful renewal, without its scopes. */
  #lastDemand: AuthChallenge | undefined;

  /**
   * Creates a token manager without sending a request.
   *
   * @throws {McpError} With code `auth_error` if the server URL is neither an HTTPS URL nor a
   * loopback HTTP URL.
   */
  constructor(config: AuthSettings, server: string, fetch: HttpFetch) {
    this.#server = parseTrustedUrl(server, "the server URL");
    this.#config = config;
    this.#fetch = fetch;
    this.#store = reportStoreErrors(config.store ?? memoryStore());
  }

  /** Returns the DPoP key handle, or `undefined` if DPoP is not configured. */
  dpop(): Promise<oauth.DPoPHandle | undefined> {
    return this.#dpop ??= makeDpop(this.#config);
  }

  /**
   * Returns the current tokens, which may have expired.
   *
   * @throws {McpError} With code `auth_error` if reading from the credential store fails.
   */
  async tokens(): Promise<Tokens | undefined> {
    await (this.#loading ??= this.#load().catch((error) => {
      this.#loading = undefined;
      throw error;
    }));
    return this.#tokens;
  }

  /**
   * Returns a challenge for renewing expiring tokens without user interaction, or `undefined` if
   * renewal is unnecessary or impossible. Renewal is impossible before the server's first
   * challenge, because the client needs a challenge to find the authorization server.
   */
  earlyChallenge({ expiresAt, refreshToken }: Tokens): AuthChallenge | undefined {
    if (expiresAt === undefined || Date.now() < expiresAt - MARGIN_MS) return undefined;
    const isFree = refreshToken !== undefined || machineGrantOf(this.#config) !== undefined;
    return isFree ? this.#lastDemand : undefined;
  }

  /**
   * Renews the tokens that the server rejected with a challenge. Concurrent calls share one
   * renewal.
   *
   * @throws {McpError} With code `auth_error` if no tokens can be obtained.
   * @throws The signal's reason if the signal is aborted.
   */
  async renew(
    stale: Tokens | undefined,
    demand: AuthChallenge,
    init: {
      readonly signal?: AbortSignal | null;
      pauseTimeout?: (until: Promise<unknown>) => void;
    },
  ): Promise<void> {
    if (this.#tokens !== stale) return;
    const renewal = (signal: AbortSignal): Promise<void> => this.#renew(demand, signal);
    const done = this.#renewal.join(renewal, init.signal ?? undefined);
    // A renewal has no overall timeout, because it can wait for the user to log in, and each of its
    // HTTP requests has a timeout.
    init.pauseTimeout?.(done);
    await done;
  }

  async #load(): Promise<void> {
    this.#tokens = parseTokens(await this.#store.load(this.#key));
  }

  get #key(): string {
    return `tokens ${this.#server.origin}${this.#server.pathname}`;
  }

  async #renew(demand: AuthChallenge, signal: AbortSignal): Promise<void> {
    const { requestTimeoutMs, maxResponseBytes, allowPrivateAddresses } = this.#config;
    const web = new AuthHttpClient(
      { fetch: this.#fetch, requestTimeoutMs, maxResponseBytes },
      signal,
    );
    const policy = { server: this.#server, allowPrivateAddresses };
    // Each renewal repeats the discovery, because the MCP server may switch to a different
    // authorization server.
    const target = await findAuthorizationServer(web, policy, this.#config, demand);
    const stale = this.#tokens?.issuer === target.issuer.issuer ? this.#tokens : undefined;
    const scope = wantedScope(target, this.#config, {
      demanded: demand.scope,
      before: stale?.scope,
    });
    const context = {
      target,
      config: this.#config,
      scope,
      web,
      dpop: await this.dpop(),
      identity: await this.#resolveClient(target, web),
    };
    await this.#keep(await this.#refresh(stale, demand, context) ?? await this.#grant(context));
    const { resourceMetadata } = demand;
    this.#lastDemand = {
      kind: "token",
      ...(resourceMetadata === undefined ? {} : { resourceMetadata }),
    };
  }

  /** Refreshes tokens. Returns `undefined` if a new grant is required. */
  async #refresh(
    stale: Tokens | undefined,
    demand: AuthChallenge,
    context: GrantContext,
  ): Promise<Tokens | undefined> {
    const { refreshToken, scope } = stale ?? {};
    if (demand.kind === "scope" || demand.isAfresh || refreshToken === undefined) return undefined;
    const response = await refreshTokens(context, refreshToken);
    if (response.ok) {
      const origin = "refreshed";
      const rest = { refreshToken, origin, ...(scope === undefined ? {} : { scope }) } as const;
      return readTokens(response.answer, context, rest);
    }
    if (!USED_UP.includes(response.error)) throw response.refusal;
    await this.#forget(response, context);
    return undefined;
  }

  async #grant(context: GrantContext): Promise<Tokens> {
    // A failed token refresh may have deleted the client registration, so a registered client is
    // resolved again.
    const identity = context.identity.isRegistered
      ? await this.#resolveClient(context.target, context.web)
      : context.identity;
    const response = await grantTokens({ ...context, identity });
    if (!response.ok) {
      await this.#forget(response, context);
      throw response.refusal;
    }
    const { scope } = context;
    const rest = { origin: "granted", ...(scope === undefined ? {} : { scope }) } as const;
    return readTokens(response.answer, context, rest);
  }

  /** Deletes a dynamic client registration that the authorization server no longer accepts. */
  async #forget(
    response: Extract<TokenResponse, { readonly ok: false }>,
    { target, identity, web }: GrantContext,
  ): Promise<void> {
    const config = this.#config;
    if (response.error !== "invalid_client" || !identity.isRegistered) return;
    if (config.discover !== true) return;
    await forgetRegistration(target.issuer, { web, config, store: this.#store });
  }

  async #keep(tokens: Tokens): Promise<void> {
    this.#tokens = tokens;
    await this.#store.save(this.#key, JSON.stringify(tokens));
  }

  async #resolveClient(
    { issuer }: AuthorizationTarget,
    web: AuthHttpClient,
  ): Promise<ClientIdentity> {
    const config = this.#config;
    if (config.discover === true) {
      return await resolveClient(issuer, { web, config, store: this.#store });
    }
    const { clientId, clientSecret } = config;
    return { clientId, ...(clientSecret === undefined ? {} : { clientSecret }) };
  }
}

async function makeDpop({ dpop }: AuthSettings): Promise<oauth.DPoPHandle | undefined> {
  if (dpop === undefined) return undefined;
  try {
    return oauth.DPoP({}, dpop === true ? await oauth.generateKeyPair("ES256") : dpop);
  } catch (cause) {
    throw McpError.authError("invalid DPoP key pair", { cause });
  }
}
