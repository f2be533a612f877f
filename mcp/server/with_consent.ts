/**
 * Consent of the user for access to another server.
 *
 * @module
 */

import { missingCapability } from "../protocol/input_request.ts";
import { Method } from "../protocol/methods.ts";
import { McpError } from "../shared/error.ts";
import type { RequestContext } from "./request_context.ts";

/** Key of the input request. */
const KEY = "parley.consent";

/** Maximum number of causes of an error that are read. */
const MAX_CAUSES = 8;

/**
 * Runs a task of a handler that acts on behalf of its caller. If a token exchange fails because the
 * user must log in or consent first, and has a `consentUrl`, the client is requested to open this
 * page, and the task is run once more. Rejects with the error of the task if the client does not
 * support URL mode elicitation, the user declines, or the exchange fails again.
 *
 * As with {@linkcode RequestContext.ask}, the handler may run more than once, so its effects before
 * the exchange must be safe to repeat. A gateway does this for the requests that it relays.
 *
 * @typeParam T Type of the result.
 * @param context Context of the handler.
 * @param task Task, which is called once or twice.
 * @throws The error of the task.
 * @see
 * {@link https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#url-mode-elicitation-requests URL mode elicitation}
 *
 * @example Ask for the consent of the caller
 * ```ts
 * import { createMemoryTransport, McpClient } from "@parley/mcp/client";
 * import { McpError, McpServer, servePipe, withConsent } from "@parley/mcp/server";
 * import { assertEquals } from "@std/assert";
 *
 * let hasConsent = false;
 * // A function that `tokenExchange` with the option `consentUrl` would return.
 * const exchange = (): Promise<string> => {
 *   if (hasConsent) return Promise.resolve("token");
 *   const consentUrl = "https://login.example.com/consent";
 *   const details = { reason: "consent", exchange: "consent_required", consentUrl } as const;
 *   return Promise.reject(new McpError("auth_error", details, "Cannot exchange the access token"));
 * };
 * const server = new McpServer({ name: "office", version: "1.0.0" });
 * server.registerTool(
 *   { name: "today", description: "Returns events" },
 *   (_args, context) => withConsent(context, async () => `events, read with a ${await exchange()}`),
 * );
 *
 * const client = new McpClient({
 *   transport: createMemoryTransport((pipe) => servePipe(server, pipe)),
 *   handlers: {
 *     elicitUrl: ({ url }) => {
 *       assertEquals(url, "https://login.example.com/consent");
 *       hasConsent = true;
 *       return Promise.resolve({ action: "accept" });
 *     },
 *   },
 * });
 * await client.connect();
 * const { content } = await client.callTool("today", {});
 * assertEquals(content, [{ type: "text", text: "events, read with a token" }]);
 * await client.disconnect();
 * ```
 */
export async function withConsent<T>(
  context: RequestContext,
  task: () => Promise<T> | T,
): Promise<T> {
  try {
    return await task();
  } catch (error) {
    const url = consentUrlOf(error);
    if (url === undefined) throw error;
    const message = `To continue, log in or consent at ${new URL(url).host}`;
    const request = { method: Method.Elicit, params: { mode: "url", message, url } } as const;
    if (missingCapability(request, context.client.capabilities) !== undefined) throw error;
    const { action } = await context.ask(KEY, request);
    if (action !== "accept") throw error;
    return await task();
  }
}

/** Returns the page for the user's consent, if an error or its cause has one. */
export function consentUrlOf(error: unknown): string | undefined {
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause instanceof Error; depth++, cause = cause.cause) {
    if (!(cause instanceof McpError) || !cause.is("auth_error")) continue;
    const { consentUrl } = cause.details;
    if (consentUrl !== undefined && URL.canParse(consentUrl)) return consentUrl;
  }
  return undefined;
}
