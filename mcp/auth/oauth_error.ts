/**
 * Descriptions of error responses from authorization servers.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-5.2 RFC 6749, section 5.2}
 * @module
 */

import { quoteUntrusted } from "./quote_untrusted.ts";
import type { Secrets } from "./redact_secrets.ts";

/** Number of characters of an error response that are searched for secrets before it is quoted. */
const MAX_BODY_CHARS = 20_000;

/** An error response from an authorization server. */
export interface OAuthErrorResponse {
  /** Status of the response. */
  readonly status: number;
  /** Body of the response. */
  readonly text: string;
  /** Members of the body; `undefined` if the body is not a JSON object. */
  readonly members: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Describes an error response without secrets: the error code and the description, or the status
 * and at most 200 characters of the body if it is not in the standard form.
 */
export function describeOAuthError(
  { status, text, members = {} }: OAuthErrorResponse,
  secrets: Secrets,
): string {
  const quote = (text: string): string =>
    quoteUntrusted(secrets.hideForeign(text.slice(0, MAX_BODY_CHARS)));
  const { error, error_description: described } = members;
  if (typeof error === "string" && error !== "") {
    return `${quote(error)}${typeof described === "string" ? ` (${quote(described)})` : ""}`;
  }
  // The rest of a successful response can contain tokens.
  const isWhole = error === undefined && status >= 400;
  const body = isWhole ? text : JSON.stringify(error) ?? "";
  return body === "" ? `HTTP ${status}` : `HTTP ${status}: ${quote(body)}`;
}
