/**
 * Obtains, refreshes and stores a client's access token for an MCP server. Concurrent requests
 * share one login, and clients that share a credential store share their tokens.
 *
 * @module
 */

import type * as oauth from "oauth4webapi";
import { abortable } from "@parley/internal/abortable";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { createRepeatFilter } from "@parley/internal/repeat-filter";
import { sleep } from "@parley/internal/timers";
import { McpError } from "../shared/error.ts";
import { SharedOperation } from "../shared/shared_operation.ts";
import type { HttpFetch, HttpInit } from "../shared/http_types.ts";
import { AuthHttpClient } from "./auth_http_client.ts";
import type { ClientIdentity } from "./client_authentication.ts";
import { forgetRegistration, resolveClient } from "./client_registration.ts";
import type { AuthSettings } from "./config.ts";
import { CredentialAccess } from "./credential_access.ts";
import { createDpopKey, type DpopKey } from "./dpop_key.ts";
import { memoryStore } from "./credential_store.ts";
import { type AuthorizationTarget, findAuthorizationServer } from "./find_authorization_server.ts";
import {
  type GrantContext,
  grantTokens,
  machineGrantOf,
  refreshTokens,
  wantedScope,
} from "./grants.ts";
import { Secrets } from "./redact_secrets.ts";
import {
  maySatisfy,
  parseTokens,
  readTokens,
  type RejectedTokenRequest,
  type Tokens,
} from "./tokens.ts";
import { parseTrustedUrl } from "./url_policy.ts";
import type { AuthChallenge } from "./www_authenticate.ts";

/**
 * How long before expiration tokens are refreshed, in milliseconds. Stored tokens can have an
 * expiration time by the clock of another host. If a token expires earlier than expected, the
 * server responds with a challenge, which leads to the same renewal.
 */
const MARGIN_MS = 30_000;

/**
 * Times at which a store without locks is loaded again after a rejected refresh, in milliseconds
 * after the previous attempt. Another process may have used the refresh token and may not have
 * saved its tokens yet.
 */
const RELOAD_MS = [0, 250, 1000];

/** Manages a client's tokens for an MCP server. */
export class TokenManager {
  readonly #server: URL;
  readonly #config: AuthSettings;
  readonly #fetch: HttpFetch;
  readonly #credentials: CredentialAccess;
  readonly #secrets = new Secrets();
  readonly #report: (error: unknown) => void;
  readonly #isRepeated = createRepeatFilter();
  #dpop: Promise<DpopKey | undefined> | undefined;
  #loading: Promise<void> | undefined;
  readonly #renewal = new SharedOperation();
  #tokens: Tokens | undefined;
  /** Whether the store contains the current tokens. */
  #isSaved = true;
  /** Tokens that the last renewal has obtained. */
  #obtained: Tokens | undefined;
  /** Tokens whose early renewal has failed. */
  #notEarly: Tokens | undefined;
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
    this.#secrets.add(config.clientSecret);
    const report = createErrorReporter("authorizedFetch", config.onError);
    this.#report = (error) => report(this.clean(error));
    const { store = memoryStore(), requestTimeoutMs, loginTimeoutMs } = config;
    const limits = { requestTimeoutMs, loginTimeoutMs, report: this.#report };
    this.#credentials = new CredentialAccess(store, limits);
  }

  /** Returns the error, or a copy without secrets if the error contains one. */
  clean(error: unknown): unknown {
    return this.#secrets.clean(error);
  }

  /** Removes only the secrets of the client from a text; see {@linkcode Secrets.hideKnown}. */
  hideKnown(text: string): string {
    return this.#secrets.hideKnown(text);
  }

  /** Removes the secrets of the client from a text. */
  hide(text: string): string {
    return this.#secrets.hide(text);
  }

  /** Returns the DPoP key handle, or `undefined` if DPoP is not configured. */
  async dpop(): Promise<oauth.DPoPHandle | undefined> {
    return (await this.#dpopKey())?.handle;
  }

  /**
   * Returns the current tokens, which may have expired.
   *
   * @throws {McpError} With code `auth_error` if reading from the credential store fails.
   * @throws The signal's reason if the signal is aborted.
   */
  async tokens(signal?: AbortSignal): Promise<Tokens | undefined> {
    this.#loading ??= this.#load().catch((error) => {
      this.#loading = undefined;
      throw error;
    });
    await abortable(this.#loading, signal);
    return this.#tokens;
  }

  /**
   * Renews tokens that expire soon, if this is possible without user interaction. Renewal is
   * impossible before the server's first challenge, because the client needs a challenge to find
   * the authorization server. A failure is reported, and the tokens are used until the server
   * rejects them.
   *
   * @throws The signal's reason if the signal is aborted.
   */
  async renewEarly(
    tokens: Tokens,
    init: Pick<HttpInit, "signal" | "pauseTimeout">,
  ): Promise<void> {
    const { expiresAt, refreshToken } = tokens;
    if (expiresAt === undefined || Date.now() < expiresAt - MARGIN_MS) return;
    const isFree = refreshToken !== undefined || machineGrantOf(this.#config) !== undefined;
    const demand = this.#lastDemand;
    if (!isFree || demand === undefined || tokens === this.#notEarly) return;
    try {
      await this.renew(tokens, demand, init);
    } catch (error) {
      init.signal?.throwIfAborted();
      this.#notEarly = tokens;
      this.#report(error);
    }
  }

  /**
   * Renews the tokens that the server rejected with a challenge. Concurrent calls share one
   * renewal. Returns `true` if the renewal has obtained tokens, and `false` if they were obtained
   * before and may have expired since.
   *
   * @throws {McpError} With code `auth_error` if no tokens can be obtained.
   * @throws The signal's reason if the signal is aborted.
   */
  async renew(
    stale: Tokens | undefined,
    demand: AuthChallenge,
    init: Pick<HttpInit, "signal" | "pauseTimeout">,
  ): Promise<boolean> {
    if (this.#tokens !== stale) return false;
    const renewal = async (signal: AbortSignal): Promise<void> => {
      this.#obtained = undefined;
      // A renewal whose callers have aborted may have obtained tokens.
      if (this.#tokens === stale) await this.#renew(demand, signal);
    };
    const done = this.#renewal.join(renewal, init.signal ?? undefined);
    // A renewal has no overall timeout, because it can wait for the user to log in. Each of its
    // HTTP requests, each call of the credential store and the login have a timeout.
    init.pauseTimeout?.(done);
    await done;
    return this.#tokens !== undefined && this.#tokens === this.#obtained;
  }

  /** Reports an error with the same message once, because each renewal repeats the requests. */
  readonly #reportOnce = (error: McpError): void => {
    if (this.#isRepeated(error.message) !== "dropped") this.#report(error);
  };

  async #load(): Promise<void> {
    this.#use(await this.#loadStored());
  }

  async #loadStored(signal?: AbortSignal): Promise<Tokens | undefined> {
    const { clientId } = this.#config;
    const { jkt } = await this.#dpopKey() ?? {};
    return parseTokens(await this.#credentials.load(this.#key, signal), { clientId, jkt });
  }

  get #key(): string {
    return `tokens ${this.#server.origin}${this.#server.pathname}`;
  }

  async #renew(demand: AuthChallenge, signal: AbortSignal): Promise<void> {
    if (!await this.#adopt(demand, signal)) {
      const options = { ...this.#config, fetch: this.#fetch, report: this.#reportOnce };
      const web = new AuthHttpClient(options, signal);
      const policy = { ...this.#config, server: this.#server };
      // Each renewal repeats the discovery, because the MCP server may switch to a different
      // authorization server.
      const before = this.#tokens;
      const target = await findAuthorizationServer(web, policy, this.#config, demand);
      await this.#credentials.withLock(this.#key, signal, async () => {
        if (this.#tokens !== before && maySatisfy(this.#tokens, demand)) return;
        if (!await this.#adopt(demand, signal)) await this.#obtain(target, demand, web);
      });
    }
    const { resourceMetadata } = demand;
    this.#lastDemand = {
      kind: "token",
      ...(resourceMetadata === undefined ? {} : { resourceMetadata }),
    };
  }

  /**
   * Uses tokens that another client has saved in the store. Returns `true` if they may satisfy the
   * challenge. A refresh token that another client has used must not be sent again, because the
   * authorization server would revoke all tokens (RFC 9700, section 4.14.2).
   */
  async #adopt(demand: AuthChallenge, signal: AbortSignal): Promise<boolean> {
    // If the last save has failed, the stored tokens are older than the current tokens.
    if (!this.#isSaved) return false;
    const stored = await this.#loadStored(signal);
    const current = this.#tokens;
    if (stored === undefined) return false;
    if (stored.accessToken === current?.accessToken) {
      if (stored.refreshToken !== current.refreshToken) {
        this.#use({ ...stored, origin: current.origin });
      }
      return false;
    }
    this.#use(stored);
    return maySatisfy(stored, demand);
  }

  /** Refreshes the tokens or requests a new grant. */
  async #obtain(
    target: AuthorizationTarget,
    demand: AuthChallenge,
    web: AuthHttpClient,
  ): Promise<void> {
    const stale = this.#tokens?.issuer === target.issuer.issuer ? this.#tokens : undefined;
    const scope = wantedScope(target, this.#config, {
      demanded: demand.scope,
      before: stale?.scope,
    });
    const { handle: dpop, jkt } = await this.#dpopKey() ?? {};
    const context = { target, config: this.#config, scope, web, secrets: this.#secrets, dpop, jkt };
    const { refreshToken } = stale ?? {};
    const canRefresh = demand.kind === "token" && !demand.isAfresh && refreshToken !== undefined;
    const owner = stale && canRefresh ? await this.#findOwner(stale, target, web) : undefined;
    const rejected = stale && refreshToken !== undefined && owner
      ? await this.#refresh({ ...stale, refreshToken }, { ...context, identity: owner })
      : undefined;
    if (rejected !== "renewed") await this.#grant(context, rejected);
  }

  /**
   * Returns the client that the tokens were issued to, or `undefined` if it is another client. A
   * refresh token can be used only by the client that it was issued to (RFC 6749, section 6).
   */
  async #findOwner(
    { clientId, registration }: Tokens,
    target: AuthorizationTarget,
    web: AuthHttpClient,
  ): Promise<ClientIdentity | undefined> {
    const isConfigured = this.#config.clientId !== undefined;
    if (!isConfigured && clientId !== undefined && registration !== undefined) {
      return { clientId, ...registration, isRegistered: true };
    }
    const identity = await this.#resolveClient(target, web);
    return clientId === undefined || clientId === identity.clientId ? identity : undefined;
  }

  /**
   * Refreshes tokens. Returns the error response if the refresh token can no longer be used, so a
   * new grant is required.
   */
  async #refresh(
    stale: Tokens & { readonly refreshToken: string },
    context: GrantContext,
  ): Promise<"renewed" | RejectedTokenRequest> {
    const { refreshToken, scope } = stale;
    const response = await refreshTokens(context, refreshToken);
    if (response.ok) {
      const origin = "refreshed";
      const rest = { refreshToken, origin, ...(scope === undefined ? {} : { scope }) } as const;
      await this.#keep(readTokens(response.answer, context, rest), context);
      return "renewed";
    }
    if (response.isTemporary) throw response.refusal;
    if (await this.#adoptLater(stale, context)) return "renewed";
    const { reason, httpStatus } = response;
    this.#report(
      McpError.authError(`the refresh token is discarded, because ${reason}`, { httpStatus }),
    );
    await this.#forget(response, context);
    const { refreshToken: _, ...rest } = stale;
    await this.#keep(rest, context);
    return response;
  }

  /** Waits until another process has saved tokens, if the store has no locks. */
  async #adoptLater(stale: Tokens, { web: { signal } }: GrantContext): Promise<boolean> {
    if (this.#credentials.hasSharedLocks) return false;
    for (const delayMs of RELOAD_MS) {
      await sleep(delayMs, signal);
      const stored = await this.#loadStored(signal);
      if (stored === undefined || stored.accessToken === stale.accessToken) continue;
      this.#use(stored);
      return true;
    }
    return false;
  }

  /** @param rejected Response that rejected the refresh token, if there was one. */
  async #grant(
    context: Omit<GrantContext, "identity">,
    rejected: RejectedTokenRequest | undefined,
  ): Promise<void> {
    context.web.signal.throwIfAborted();
    const needsUser = machineGrantOf(this.#config) === undefined;
    if (rejected !== undefined && needsUser && this.#config.authorize === undefined) {
      const { reason, httpStatus } = rejected;
      throw McpError.authError(
        `user login required, because ${reason}; set the "authorize" option`,
        { httpStatus },
      );
    }
    const identity = await this.#resolveClient(context.target, context.web);
    const granting = { ...context, identity };
    const response = await grantTokens(granting);
    if (!response.ok) {
      await this.#forget(response, granting);
      throw response.refusal;
    }
    const { scope } = context;
    const rest = { origin: "granted", ...(scope === undefined ? {} : { scope }) } as const;
    await this.#keep(readTokens(response.answer, granting, rest), context);
  }

  /** Deletes a dynamic client registration that the authorization server no longer accepts. */
  async #forget(
    response: RejectedTokenRequest,
    { target, identity, web }: GrantContext,
  ): Promise<void> {
    if (response.error !== "invalid_client" || !identity.isRegistered) return;
    if (this.#config.discover !== true) return;
    const store = this.#credentials.bind(web.signal);
    await forgetRegistration(target.issuer, identity.clientId, { store });
  }

  async #keep(tokens: Tokens, { web: { signal } }: Pick<GrantContext, "web">): Promise<void> {
    this.#use(tokens);
    if (!signal.aborted) this.#obtained = tokens;
    this.#isSaved = false;
    // The save continues if the signal aborts.
    const saving = this.#credentials.save(this.#key, JSON.stringify(tokens));
    await abortable(saving.then(() => void (this.#isSaved = true)), signal);
  }

  #use(tokens: Tokens | undefined): void {
    this.#tokens = tokens;
    const { accessToken, refreshToken, registration } = tokens ?? {};
    this.#secrets.add(accessToken, refreshToken, registration?.clientSecret);
  }

  async #resolveClient(
    { issuer }: AuthorizationTarget,
    web: AuthHttpClient,
  ): Promise<ClientIdentity> {
    const config = this.#config;
    if (config.discover === true) {
      const store = this.#credentials.bind(web.signal);
      const secrets = this.#secrets;
      const exclusively = <T>(key: string, task: () => Promise<T>): Promise<T> =>
        this.#credentials.withProcessLock(key, web.signal, task);
      const identity = await resolveClient(issuer, { web, config, store, secrets, exclusively });
      this.#secrets.add(identity.clientSecret);
      return identity;
    }
    const { clientId, clientSecret } = config;
    return { clientId, ...(clientSecret === undefined ? {} : { clientSecret }) };
  }

  #dpopKey(): Promise<DpopKey | undefined> {
    return this.#dpop ??= createDpopKey(this.#config.dpop);
  }
}
