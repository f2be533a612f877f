/**
 * Access to other servers on behalf of the caller: OAuth 2.0 token exchange.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc8693 RFC 8693}
 * @see
 * {@link https://learn.microsoft.com/en-us/entra/identity-platform/v2-oauth2-on-behalf-of-flow On-behalf-of flow of Entra ID}
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import {
  assertCount,
  assertFunction,
  assertObject,
  assertOptionalSignal,
  assertShare,
  assertString,
} from "@parley/internal/assert-argument";
import { callWithin } from "@parley/internal/call-within";
import { oneOf } from "@parley/internal/option-checks";
import { optionsReader, required, type Settings, withDefault } from "@parley/internal/options";
import { McpError, McpErrorCode } from "../shared/error.ts";
import type { ClientIdentity } from "./client_authentication.ts";
import { type ClientKey, readClientKey } from "./config.ts";
import { toBase64Url } from "./base64url.ts";
import { type ExchangedToken, ExchangedTokens } from "./exchanged_tokens.ts";
import { exchangeError, TokenExchangeFailure, validTokenOf } from "./exchange_failure.ts";
import type { PresentedTokenHolder } from "./presented_tokens.ts";
import { hasScopes } from "./scope.ts";
import { createVerifierClient, VERIFIER_RULES, type VerifierOptions } from "./token_verifier.ts";
import { isSendable, requestTokens } from "./tokens.ts";
import { parseTrustedUrl } from "./url_policy.ts";

/** Options for {@linkcode tokenExchange}. */
export interface TokenExchangeOptions extends VerifierOptions {
  /** URL of the token endpoint. */
  readonly tokenUrl: string;
  /** Client identifier of this server at the authorization server. */
  readonly clientId: string;
  /** Client secret of this server. */
  readonly clientSecret?: string;
  /** Private key of this server, used instead of a client secret. */
  readonly clientKey?: ClientKey;
  /**
   * Form of the request: token exchange (RFC 8693), or the on-behalf-of flow of Entra ID, which has
   * no RFC 8693. The on-behalf-of flow requires `scope` and does not send `resource` and
   * `audience`.
   *
   * @default {"rfc8693"}
   */
  readonly form?: "rfc8693" | "on_behalf_of";
  /**
   * Returns a token of this server, so that the new token names this server as the actor (RFC 8693,
   * section 2.1). If omitted, the new token is as if the caller had requested it. Not used in the
   * on-behalf-of flow.
   */
  readonly actorToken?: () => Promise<string> | string;
  /**
   * URL of the page on which users log in and consent, such as the authorization URL of an
   * application that requests the scopes of the other server. Part of an error with
   * `consent_required`: `withConsent` and gateways request the client to open it.
   */
  readonly consentUrl?: string;
  /**
   * Maximum number of new tokens that are stored. Beyond `maxEntries`, each call requests a token.
   *
   * @default {10_000}
   */
  readonly maxEntries?: number;
  /**
   * Maximum share of `maxEntries` per subject, greater than 0 and at most 1.
   *
   * @default {0.25}
   */
  readonly maxSharePerPrincipal?: number;
}

/** The server that a new token is for. At least one of the first three members is required. */
export interface ExchangeTarget {
  /** URL of the server (RFC 8707). */
  readonly resource?: string;
  /** Name of the server at the authorization server. */
  readonly audience?: string;
  /**
   * Scopes that the request needs, separated by spaces. A token with more scopes is rejected,
   * except for the scope `/.default` of Entra ID.
   */
  readonly scope?: string;
  /**
   * Token of an earlier exchange that the server rejects. It is exchanged again, at most every 5
   * seconds.
   */
  readonly refused?: string;
  /** Ends the call. A request that other calls share continues. */
  readonly signal?: AbortSignal;
}

/**
 * Returns a token with which this server acts on behalf of a principal.
 *
 * @param principal Principal of a request, exactly as a handler received it.
 * @param target Server that the token is for.
 */
export type TokenExchange = (
  principal: object | undefined,
  target: ExchangeTarget,
) => Promise<string>;

const readOptions = optionsReader<TokenExchangeOptions>("options")({
  ...VERIFIER_RULES,
  tokenUrl: required(assertString),
  clientId: required(assertString),
  clientSecret: assertString,
  clientKey: assertObject,
  form: withDefault<"rfc8693" | "on_behalf_of">("rfc8693", oneOf("rfc8693", "on_behalf_of")),
  actorToken: assertFunction,
  consentUrl: assertString,
  maxEntries: withDefault<number>(10_000, assertCount),
  maxSharePerPrincipal: withDefault<number>(0.25, assertShare),
});

const readTarget = optionsReader<ExchangeTarget>("target")({
  resource: assertString,
  audience: assertString,
  scope: assertString,
  refused: assertSecret,
  signal: assertOptionalSignal,
});

function assertSecret(name: string, value: unknown): void {
  if (typeof value === "string") return;
  // The value is not quoted in the error, because it may be a secret.
  throw new TypeError(`"${name}" must be a string, got a ${typeof value}`);
}

const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";

/** Time before the expiration of a token at which a new token is requested, in milliseconds. */
const MARGIN_MS = 30_000;

/** Time for which a token without an expiration time is used, in milliseconds. */
const UNKNOWN_MS = 30_000;

/** Time for which a rejected exchange or token is not exchanged again, in milliseconds. */
const REFUSED_MS = 5000;

/** Number of exchanges without the consent of the user after which the next one waits. */
const MAX_CONSENT_FAILURES = 5;

/** Error codes that mean that the user must log in or consent (OpenID Connect Core, 3.1.2.6). */
const CONSENT: readonly string[] = ["interaction_required", "consent_required", "login_required"];

/**
 * Creates a function that exchanges the token of a caller for a token of another server. The token
 * of the caller never reaches a handler, and is sent only to the token endpoint: MCP does not
 * permit servers to pass it on.
 *
 * A principal has a token if `resourceServer` has verified the request. A new token is stored until
 * 30 seconds before it expires, and not longer than the caller's token is valid. Calls for the same
 * token share a request.
 *
 * @param options Token endpoint, client credentials and limits.
 * @returns A function that rejects with an {@linkcode McpError} with code `auth_error`, whose
 * `details.exchange` is a {@linkcode TokenExchangeFailure}.
 * @throws {McpError} With code `auth_error` if `tokenUrl` or `consentUrl` is neither an HTTPS URL
 * nor a loopback HTTP URL.
 * @throws {TypeError} If an option has a type or value that is not allowed.
 * @throws {RangeError} If a limit or `requestTimeoutMs` is out of range.
 * @see {@link https://www.rfc-editor.org/rfc/rfc8693 RFC 8693}
 *
 * @example Call an API on behalf of the caller
 * ```ts
 * import { tokenExchange } from "@parley/mcp/auth";
 * import { McpServer } from "@parley/mcp/server";
 * import { assertRejects } from "@std/assert";
 *
 * const exchange = tokenExchange({
 *   tokenUrl: "https://login.example.com/token",
 *   clientId: "mcp-server",
 *   clientSecret: "...",
 * });
 * const resource = "https://calendar.example.com";
 * const server = new McpServer({ name: "office", version: "1.0.0" });
 * server.registerTool({ name: "today", description: "Returns events" }, async (_args, context) => {
 *   const { principal, signal } = context;
 *   const token = await exchange(principal, { resource, scope: "calendar:read", signal });
 *   const headers = { authorization: `Bearer ${token}` };
 *   return await (await fetch(`${resource}/today`, { headers, signal })).text();
 * });
 *
 * // A request that `resourceServer` has not verified has no token.
 * await assertRejects(() => exchange({ subject: "ada" }, { resource }), Error, "no access token");
 * ```
 */
export function tokenExchange(options: TokenExchangeOptions): TokenExchange {
  const settings = readOptions(options);
  if (settings.clientKey !== undefined) readClientKey(settings.clientKey);
  const endpoint = parseTrustedUrl(settings.tokenUrl, '"tokenUrl"');
  if (settings.consentUrl !== undefined) parseTrustedUrl(settings.consentUrl, '"consentUrl"');
  const exchanger = new Exchanger(settings, endpoint);
  return (principal, target) => exchanger.exchange(principal, target);
}

type ExchangeSettings = Settings<
  TokenExchangeOptions,
  "requestTimeoutMs" | "maxResponseBytes" | "form" | "maxEntries" | "maxSharePerPrincipal"
>;

class Exchanger {
  readonly #settings: ExchangeSettings;
  readonly #endpoint: URL;
  readonly #identity: ClientIdentity;
  readonly #web: ReturnType<typeof createVerifierClient>;
  readonly #tokens: ExchangedTokens;

  constructor(settings: ExchangeSettings, endpoint: URL) {
    const { clientId, clientSecret, clientKey } = settings;
    this.#settings = settings;
    this.#endpoint = endpoint;
    this.#web = createVerifierClient(settings);
    this.#identity = {
      clientId,
      ...(clientSecret === undefined ? {} : { clientSecret }),
      ...(clientKey === undefined ? {} : { clientKey }),
    };
    this.#tokens = new ExchangedTokens({ ...settings, errorUntil, minAgeMs: REFUSED_MS });
  }

  async exchange(principal: object | undefined, target: ExchangeTarget): Promise<string> {
    const { resource, audience, scope, refused, signal } = readTarget(target);
    if (resource === undefined && audience === undefined && scope === undefined) {
      throw new TypeError('"target" must have "resource", "audience" or "scope"');
    }
    if (this.#settings.form === "on_behalf_of" && scope === undefined) {
      throw new TypeError('"target.scope" must be a string, got undefined');
    }
    signal?.throwIfAborted();
    const presented = validTokenOf(principal);
    const key = await digest(JSON.stringify([presented.token, resource, audience, scope]));
    const load = (): Promise<ExchangedToken> =>
      this.#request(presented, {
        ...(resource === undefined ? {} : { resource }),
        ...(audience === undefined ? {} : { audience }),
        ...(scope === undefined ? {} : { scope }),
      });
    const token = this.#tokens.get(key, { subject: presented.subject, refused }, load);
    return await (signal === undefined ? token : abortable(token, signal));
  }

  async #request(
    presented: PresentedTokenHolder,
    target: Pick<ExchangeTarget, "resource" | "audience" | "scope">,
  ): Promise<ExchangedToken> {
    const isExchange = this.#settings.form === "rfc8693";
    const response = await requestTokens({
      issuer: { issuer: this.#endpoint.origin, token_endpoint: this.#endpoint.href },
      identity: this.#identity,
      grant: isExchange ? TOKEN_EXCHANGE : JWT_BEARER,
      parameters: isExchange
        ? await this.#exchangeParameters(presented, target)
        : onBehalfOfParameters(presented, target),
      web: this.#web,
    }).catch((cause: unknown) => {
      throw exchangeError("unavailable", reasonOf(cause), { cause });
    });
    if (!response.ok) {
      const { error, isTemporary, reason, httpStatus } = response;
      if (isTemporary) throw exchangeError("unavailable", reason, { httpStatus });
      if (!CONSENT.includes(error)) throw exchangeError("refused", reason, { httpStatus });
      const { consentUrl } = this.#settings;
      throw exchangeError("consent_required", reason, {
        httpStatus,
        ...(consentUrl === undefined ? {} : { consentUrl }),
      });
    }
    const { access_token: token, expires_in, scope, token_type } = response.answer;
    if (token_type !== "bearer") {
      throw exchangeError("unavailable", `the new token must have the type "bearer"`);
    }
    if (token === presented.token) {
      throw exchangeError("unavailable", "the new token is the token of the caller");
    }
    if (!isSendable(token)) {
      throw exchangeError(
        "unavailable",
        "the new token contains characters that no HTTP header can have",
      );
    }
    const isComparable = target.scope !== undefined && (isExchange || !isDefault(target.scope));
    if (isComparable && !hasScopes(target.scope, scope)) {
      throw exchangeError("wider", "the new token has scopes that were not requested");
    }
    const validMs = expires_in === undefined ? UNKNOWN_MS : expires_in * 1000 - MARGIN_MS;
    return { token, until: Date.now() + validMs };
  }

  async #exchangeParameters(
    { token }: PresentedTokenHolder,
    target: Pick<ExchangeTarget, "resource" | "audience" | "scope">,
  ): Promise<Record<string, string>> {
    const actor = await this.#actorToken();
    return {
      subject_token: token,
      subject_token_type: ACCESS_TOKEN,
      requested_token_type: ACCESS_TOKEN,
      ...target,
      ...(actor === undefined ? {} : { actor_token: actor, actor_token_type: ACCESS_TOKEN }),
    };
  }

  async #actorToken(): Promise<string | undefined> {
    const { actorToken, requestTimeoutMs: timeoutMs } = this.#settings;
    if (actorToken === undefined) return undefined;
    const expired = new Error(`timed out after ${timeoutMs} ms`);
    const limits = { signal: undefined, timeoutMs, late: () => expired };
    const token: unknown = await callWithin(actorToken, limits).catch((cause: unknown) => {
      // The message reaches clients, and the message of the cause can contain a secret.
      const problem = cause === expired ? expired.message : "failed";
      throw exchangeError("unavailable", `"actorToken" ${problem}`, { cause });
    });
    if (typeof token === "string") return token;
    throw exchangeError("unavailable", '"actorToken" must return a string');
  }
}

function onBehalfOfParameters(
  { token }: PresentedTokenHolder,
  { scope = "" }: Pick<ExchangeTarget, "scope">,
): Record<string, string> {
  return { assertion: token, requested_token_use: "on_behalf_of", scope };
}

/**
 * Returns `true` if a scope string contains the scope `/.default` of Entra ID. It requests all
 * scopes that were consented to, and the response names them.
 */
function isDefault(scope: string): boolean {
  return /(?:^|[ /])\.default(?: |$)/.test(scope);
}

/**
 * Returns the time until which an exchange that failed is not sent again. The authorization server
 * can be available and the user can consent at any time, but a caller without consent must not
 * cause an exchange for each of its requests.
 */
function errorUntil(error: unknown, failures: number): number | undefined {
  if (!(error instanceof McpError) || !error.is(McpErrorCode.AuthError)) return undefined;
  const { exchange } = error.details;
  if (exchange === TokenExchangeFailure.Unavailable) return undefined;
  const canRepeat = exchange === TokenExchangeFailure.ConsentRequired &&
    failures % MAX_CONSENT_FAILURES !== 0;
  return canRepeat ? Date.now() : Date.now() + REFUSED_MS;
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return toBase64Url(new Uint8Array(bytes));
}
