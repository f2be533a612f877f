/**
 * URL of a request from `node:http` or `node:http2`.
 *
 * @module
 */

/**
 * Host name of requests without a `Host` header, which HTTP/1.0 permits. No list of allowed hosts
 * contains this name, because RFC 6761 reserves its top-level domain.
 */
const MISSING_HOST = "missing-host.invalid";

/** Request target and headers of a request. */
export interface RequestTarget {
  /** Request target. */
  readonly url?: string | undefined;
  /** Headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>> & {
    readonly host?: string | undefined;
  };
}

/** Returns the URL of a request, or `undefined` if the request target or its host is invalid. */
export function readUrl({ headers, url = "/" }: RequestTarget): string | undefined {
  const { host } = headers;
  const authority = headers[":authority"]?.toString();
  // RFC 9113, section 8.3.1: a request whose `Host` differs from `:authority` is malformed.
  if (host !== undefined && authority !== undefined && host !== authority) return undefined;
  try {
    return new URL(url, `http://${authority ?? host ?? MISSING_HOST}`).href;
  } catch {
    return undefined;
  }
}
