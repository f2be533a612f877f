/**
 * The tokens of one client for one server: found, asked for, renewed, kept. However many calls need them, there is one
 * login.
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
import { type AuthConfig, DEFAULTS } from "./config.ts";
import {
  type GrantContext,
  grantTokens,
  machineGrantOf,
  refreshTokens,
  wantedScope,
} from "./grants.ts";
import { forgetRegistration, resolveClient } from "./client_registration.ts";
import { type CredentialStore, memoryStore } from "./credential_store.ts";
import { type AuthorizationTarget, findAuthorizationServer } from "./find_authorization_server.ts";
import { parseTokens, readTokens, type TokenResponse, type Tokens } from "./tokens.ts";
import { AuthHttpClient } from "./auth_http_client.ts";

/** How long before their end tokens are renewed, in milliseconds. */
const MARGIN_MS = 30_000;

/** What a refusal of a token says that nobody can use any more. */
const USED_UP = ["invalid_grant", "invalid_client", "unauthorized_client"];

/** Looks after the tokens. */
export class TokenManager {
  readonly #server: URL;
  readonly #config: AuthConfig;
  readonly #fetch: HttpFetch;
  readonly #store: CredentialStore;
  #dpop: Promise<oauth.DPoPHandle | undefined> | undefined;
  #loading: Promise<void> | undefined;
  #renewal: SharedOperation | undefined;
  #tokens: Tokens | undefined;
  /** What led to the authorization server the last time. */
  #lastDemand: AuthChallenge | undefined;

  /**
   * Takes what is configured; nothing is sent.
   *
   * @throws {McpError} `auth_error` when credentials must not be sent to the server
   */
  constructor(config: AuthConfig, server: string, fetch: HttpFetch) {
    this.#server = parseTrustedUrl(server, "the address of the server");
    this.#config = config;
    this.#fetch = fetch;
    this.#store = config.store ?? memoryStore();
  }

  /** The key that tokens are bound to, if they are to be. */
  dpop(): Promise<oauth.DPoPHandle | undefined> {
    return this.#dpop ??= makeDpop(this.#config);
  }

  /** The tokens by now; they may be of no use any more. */
  async tokens(): Promise<Tokens | undefined> {
    await (this.#loading ??= this.#load().catch((cause) => {
      this.#loading = undefined;
      throw McpError.authError("the store cannot be read", { cause });
    }));
    return this.#tokens;
  }

  /**
   * What tokens had better be renewed with before they are used, where that takes nobody's time; undefined otherwise.
   * Before the server has asked for credentials once, nobody knows who guards it.
   */
  earlyChallenge({ expiresAt, refreshToken }: Tokens): AuthChallenge | undefined {
    if (expiresAt === undefined || Date.now() < expiresAt - MARGIN_MS) return undefined;
    const isFree = refreshToken !== undefined || machineGrantOf(this.#config) !== undefined;
    return isFree ? this.#lastDemand : undefined;
  }

  /**
   * Gets other tokens than those that were not good enough. Calls at the same time share one attempt.
   *
   * @throws {McpError} `auth_error` when there are none to be had
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
    this.#renewal ??= new SharedOperation((signal) =>
      this.#renew(demand, signal).finally(() => this.#renewal = undefined)
    );
    const done = this.#renewal.join(init.signal ?? undefined);
    // A person may have to log in, and each request on the way has a time-out of its own.
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
    const { requestTimeoutMs, maxResponseBytes } = { ...DEFAULTS, ...this.#config };
    const web = new AuthHttpClient(
      { fetch: this.#fetch, requestTimeoutMs, maxResponseBytes },
      signal,
    );
    const { allowPrivateAddresses = false } = this.#config;
    const policy = { server: this.#server, allowPrivateAddresses };
    // Each time: the server may be guarded by somebody else by now.
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

  /** New tokens for the old ones; undefined when a fresh start is needed. */
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
    // A registration may just have been forgotten.
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

  /** Forgets a registration that the authorization server does not know any more. */
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
    try {
      await this.#store.save(this.#key, JSON.stringify(tokens));
    } catch (cause) {
      throw McpError.authError("the store cannot be written", { cause });
    }
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

async function makeDpop({ dpop }: AuthConfig): Promise<oauth.DPoPHandle | undefined> {
  if (dpop === undefined) return undefined;
  try {
    return oauth.DPoP({}, dpop === true ? await oauth.generateKeyPair("ES256") : dpop);
  } catch (cause) {
    throw McpError.authError("tokens cannot be bound to this key", { cause });
  }
}
