/**
 * Adapter for handlers that support only `Request` and `Response`.
 *
 * @module
 */

import type { HttpRequest, HttpResponse } from "../../shared/http_types.ts";

/** A response in which a header can have multiple values. */
export interface MultiValueResponse extends Omit<HttpResponse, "headers"> {
  /** Headers of the response. */
  readonly headers: Readonly<Record<string, string | string[]>>;
}

/** Returns a function that calls the handler with a `Request` and converts its `Response`. */
export function viaResponse<Context>(
  handler: (request: Request, context?: Context) => Promise<Response>,
): (request: HttpRequest, context: Context) => Promise<MultiValueResponse> {
  return async ({ method, url, headers, body, signal }, context) => {
    const response = await handler(
      new Request(url, {
        method,
        headers: [...headers],
        signal,
        // Node.js requires `duplex` for a stream body.
        ...(body === null ? {} : { body, duplex: "half" }),
      }),
      context,
    );
    const fields: Record<string, string | string[]> = Object.fromEntries(response.headers);
    // `Set-Cookie` is the only header whose values cannot be joined with commas.
    const cookies = response.headers.getSetCookie();
    if (cookies.length > 0) fields["set-cookie"] = cookies;
    return { status: response.status, headers: fields, body: response.body };
  };
}
