/**
 * Authenticates the callers of an endpoint by bearer tokens.
 *
 * @module
 */

import { assertFunction, assertOptionalFunction } from "@parley/internal/assert-argument";
import { callWithin } from "@parley/internal/call-within";
import { createErrorReporter } from "@parley/internal/error-reporter";
import { int32From } from "@parley/internal/option-checks";
import { optionsReader, withDefault } from "@parley/internal/options";
import { AgentError } from "../shared/error.ts";
import { readCaller } from "./caller.ts";
import type { Principal, ServedContext, ServedHandler } from "./contracts.ts";

/** Options for {@linkcode withBearer}. */
export interface BearerOptions {
  /**
   * Maximum time for `verify`, in milliseconds; between 1 and 2^31 - 1.
   *
   * @default {10_000}
   */
  readonly timeoutMs?: number;
  /**
   * Called with errors of `verify`, which the caller does not receive. If omitted, each distinct
   * error is printed to standard error.
   */
  readonly onError?: (error: unknown) => void;
}

const readBearerOptions = optionsReader<BearerOptions>("options")({
  timeoutMs: withDefault(10_000, int32From(1)),
  onError: assertOptionalFunction,
});

/** Maximum length of the `Authorization` header, in characters. */
const MAX_HEADER_CHARS = 16_384;
/** Credentials with a bearer token (RFC 6750, section 2.1). */
const CREDENTIALS = /^Bearer +([\w.~+/-]+=*)$/i;

/**
 * Passes the principal of a bearer token to an endpoint, for tokens that are not access tokens of
 * OAuth, such as API keys. For OAuth, use `resourceServer` from `@parley/mcp/auth`.
 *
 * Without a token, and if `verify` returns no principal, throws or does not respond in time, the
 * endpoint responds with its error for status 401, also if it accepts anonymous callers.
 *
 * @param handler Endpoint to protect.
 * @param verify Returns the principal of a token, or `undefined` for an invalid token. To compare
 * tokens in constant time, compare their hashes.
 * @param options Limit on the time for `verify`, and error handling.
 * @throws {TypeError} If an argument or an option has the wrong type.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750 RFC 6750}
 *
 * @example Accept one API key
 * ```ts
 * import { type ServedHandler, withBearer } from "@parley/runtime/serve";
 * import { assertEquals } from "@std/assert";
 *
 * const endpoint: ServedHandler = (_request, { principal } = {}) =>
 *   Promise.resolve(new Response(principal?.subject, { status: principal ? 200 : 401 }));
 * const handle = withBearer(endpoint, (token) => token === "key-1" ? { subject: "ann" } : undefined);
 *
 * const send = (authorization: string) =>
 *   handle(new Request("https://agent.example/", { headers: { authorization } }));
 * assertEquals(await (await send("Bearer key-1")).text(), "ann");
 * assertEquals((await send("Bearer key-2")).status, 401);
 * ```
 */
export function withBearer(
  handler: ServedHandler,
  verify: (token: string) => Principal | undefined | Promise<Principal | undefined>,
  options: BearerOptions = {},
): (request: Request) => Promise<Response> {
  assertFunction("handler", handler);
  assertFunction("verify", verify);
  const { onError, timeoutMs } = readBearerOptions(options);
  const report = createErrorReporter("withBearer", onError);
  const late = (): Error => AgentError.core(`"verify" did not respond in ${timeoutMs} ms`);
  return async (request) => {
    let context: ServedContext = { isDenied: true };
    const token = readToken(request);
    try {
      const principal = token === undefined
        ? undefined
        : await callWithin(() => verify(token), { signal: undefined, timeoutMs, late });
      if (principal !== undefined) {
        // Rejects a value that is not a principal.
        readCaller(principal);
        context = { principal };
      }
    } catch (error) {
      report(error);
    }
    return await handler(request, context);
  };
}

function readToken({ headers }: Request): string | undefined {
  const header = headers.get("authorization") ?? "";
  return header.length > MAX_HEADER_CHARS ? undefined : CREDENTIALS.exec(header)?.[1];
}
