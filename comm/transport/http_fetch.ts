/**
 * Sends messages in HTTP requests.
 *
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { quote } from "@parley/internal/format-value";
import { sendFailed } from "../shared/error.ts";
import { errorText } from "../shared/error_text.ts";

/** Posts a message. Rejects with `send_failed` if there is no response. */
export async function postText(
  fetch: typeof globalThis.fetch,
  url: URL,
  { body, signal }: { readonly body: string; readonly signal: AbortSignal },
): Promise<Response> {
  try {
    const fetched = fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/x-ndjson" },
      body,
      // A redirect could lead to a server that `urlOf` did not return.
      redirect: "manual",
      signal,
    });
    return await abortable(fetched, signal);
  } catch (cause) {
    signal.throwIfAborted();
    const { origin, pathname } = url;
    const reason = withoutSecrets(innermostMessage(cause), url);
    throw sendFailed(`HTTP request to ${quote(`${origin}${pathname}`)} failed: ${reason}`, {
      cause,
    });
  }
}

/** Removes the credentials and the query of a URL from a text, because they can be secrets. */
function withoutSecrets(text: string, url: URL): string {
  const { href, origin, pathname, username, password, search } = url;
  const withoutUrl = text.replaceAll(href, `${origin}${pathname}`);
  const secrets = [search, search.slice(1), `${username}:${password}@`, password];
  return secrets.filter((secret) => secret.length > 2)
    .reduce((rest, secret) => rest.replaceAll(secret, ""), withoutUrl);
}

/** Discards the body of a response. A failure is ignored, because the body is not needed. */
export async function discardBody({ body }: Response, signal: AbortSignal): Promise<void> {
  if (body === null) return;
  await abortable(body.cancel().catch(() => {}), signal);
}

/** Maximum number of nested causes to follow. */
const MAX_CAUSES = 10;

/**
 * Returns the message of the innermost cause, which names the failure: `fetch` itself only reports
 * that it failed.
 */
function innermostMessage(error: unknown): string {
  try {
    let innermost = error;
    for (let depth = 0; depth < MAX_CAUSES; depth++) {
      if (!(innermost instanceof Error) || !(innermost.cause instanceof Error)) break;
      innermost = innermost.cause;
    }
    const text = errorText(innermost);
    return text === "" && innermost instanceof Error ? String(innermost.name) : text;
  } catch {
    // A proxy can throw when it is read.
    return errorText(error);
  }
}
