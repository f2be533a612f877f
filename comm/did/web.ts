/**
 * Resolution of did:web, whose DID documents are hosted on web servers.
 *
 * {@linkcode didWebResolver} creates a resolver. Because a DID is untrusted input that determines
 * which host is contacted, the resolver accepts only https URLs with public DNS names, does not
 * follow redirects, and limits time, size and concurrent requests per host. The resolver cannot
 * control which IP address `fetch` connects to, and cannot know which names a local DNS server
 * resolves. In a cluster or an office network, restrict hosts with {@linkcode
 * DidWebResolverOptions.checkHost} or, in Deno, `--allow-net`.
 *
 * @example Support did:web for one organization
 * ```ts
 * import { combineResolvers, didKeyResolver } from "@parley/comm/did";
 * import { didWebResolver } from "@parley/comm/did-web";
 * import { assertEquals } from "@std/assert";
 *
 * const resolver = combineResolvers({
 *   key: didKeyResolver,
 *   web: didWebResolver({ checkHost: (host) => host.endsWith(".example.org") }),
 * });
 * const { didResolutionMetadata } = await resolver.resolve("did:web:evil.example.com");
 * assertEquals(didResolutionMetadata.error, "notAllowed");
 * ```
 *
 * @see https://w3c-ccg.github.io/did-method-web/
 * @module
 */

import { abortable } from "@parley/internal/abortable";
import { startDeadline } from "@parley/internal/deadline";
import { didInvalid } from "./did_error.ts";
import { timedOut } from "../shared/error.ts";
import { isJsonObject } from "../shared/json.ts";
import { parseJson } from "../shared/json_parse.ts";
import { readBody } from "../shared/read_body.ts";
import {
  assertCount,
  assertFunction,
  assertOptionalBoolean,
  assertPositiveNumber,
} from "@parley/internal/assert-argument";
import { integerFrom } from "@parley/internal/option-checks";
import { optionsReader, withDefault } from "@parley/internal/options";
import { isDid, parseDid } from "./did.ts";
import {
  createFailure,
  createSuccess,
  type DidResolutionResult,
  type Resolvable,
} from "./resolver.ts";

/** Options for {@linkcode didWebResolver}. */
export interface DidWebResolverOptions {
  /** Fetches a document. Defaults to the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /**
   * Called with the host before each request. Only a result of exactly `true` allows the host.
   * Reject a host, for example, if its IP address is private. If omitted, all hosts that
   * {@linkcode didWebUrl} accepts are allowed. Set this option in networks whose DNS server
   * resolves names that are not public: in a Kubernetes pod, for example, a name with two labels
   * can refer to a service.
   */
  readonly checkHost?: (host: string, signal: AbortSignal) => boolean | Promise<boolean>;
  /**
   * Whether a DID may contain a port.
   *
   * @default {false}
   */
  readonly allowPorts?: boolean;
  /**
   * Timeout for the entire resolution of a DID, in milliseconds.
   *
   * @default {5000}
   */
  readonly timeoutMs?: number;
  /**
   * Maximum size of a document, in bytes.
   *
   * @default {65_536}
   */
  readonly maxBytes?: number;
  /**
   * Maximum number of concurrent requests to a host. Each DID can cause a request, so without a
   * limit, a flood of forged messages would become a flood of requests to a host of the attacker's
   * choice.
   *
   * @default {4}
   */
  readonly maxRequestsPerHost?: number;
  /**
   * Maximum number of resolutions that wait for a request to the same host. If `maxWaitingPerHost`
   * resolutions are waiting, further resolutions fail with `tooManyRequests`.
   *
   * @default {100}
   */
  readonly maxWaitingPerHost?: number;
}

const readOptions = optionsReader<DidWebResolverOptions>("options")({
  fetch: withDefault((request: Request) => globalThis.fetch(request), assertFunction),
  checkHost: withDefault(() => true, assertFunction),
  allowPorts: withDefault(false, assertOptionalBoolean),
  timeoutMs: withDefault(5000, assertPositiveNumber),
  maxBytes: withDefault(65_536, assertCount),
  maxRequestsPerHost: withDefault(4, assertCount),
  maxWaitingPerHost: withDefault(100, integerFrom(0)),
});

/**
 * Creates a resolver for did:web. To cache documents, wrap the resolver in `cachedResolver`.
 *
 * Failures have one of these errors in `didResolutionMetadata.error`:
 *
 * - `invalidDid`: the DID is not a did:web with a public host name.
 * - `notAllowed`: `checkHost` did not return `true`.
 * - `notFound`: the server responded with status 404 or 410.
 * - `invalidDidDocument`: the response has an unexpected media type, exceeds `maxBytes`, is not a
 *   JSON object, or has a different `id`.
 * - `timeout`: the resolution took longer than `timeoutMs`.
 * - `tooManyRequests`: `maxWaitingPerHost` resolutions are already waiting for the same host, or
 *   the resolution waited longer than `timeoutMs`.
 * - `internalError`: the request failed.
 *
 * @param options Limits, host check and `fetch` function.
 * @throws {TypeError} If `fetch` or `checkHost` is not a function, if `allowPorts` is not a
 *   boolean, or an option is unknown.
 * @throws {RangeError} If `timeoutMs` is not positive, or a limit is not an integer in its range.
 *
 * @example Resolve with a custom fetch function
 * ```ts
 * import { resolveDid } from "@parley/comm/did";
 * import { didWebResolver } from "@parley/comm/did-web";
 * import { assertEquals } from "@std/assert";
 *
 * const resolver = didWebResolver({
 *   fetch: ({ url }) => Promise.resolve(Response.json({ id: "did:web:example.com", url })),
 * });
 * const document = await resolveDid("did:web:example.com", resolver);
 * assertEquals(document.url, "https://example.com/.well-known/did.json");
 * ```
 */
export function didWebResolver(options: DidWebResolverOptions = {}): Resolvable {
  const settings = readOptions(options);
  const { timeoutMs, allowPorts } = settings;
  const hosts = new HostQueue(settings.maxRequestsPerHost, settings.maxWaitingPerHost);
  return {
    async resolve(did, { signal } = {}): Promise<DidResolutionResult> {
      signal?.throwIfAborted();
      const url = readUrl(did, allowPorts);
      if (url === undefined) return createFailure("invalidDid");
      const deadline = startDeadline([signal], {
        timeoutMs,
        reason: () => timedOut("resolve DID", timeoutMs),
      });
      let isWaiting = true;
      try {
        if (!await hosts.enter(url.hostname, deadline.signal)) {
          return createFailure("tooManyRequests");
        }
        isWaiting = false;
        try {
          const fetching = fetchDocument(did, url, { ...settings, signal: deadline.signal });
          return await abortable(fetching, deadline.signal);
        } finally {
          hosts.leave(url.hostname);
        }
      } catch {
        // Do not report the cause of a network error, because it could reveal details of the
        // internal network to the sender of the DID.
        signal?.throwIfAborted();
        if (isWaiting) return createFailure("tooManyRequests");
        return createFailure(deadline.signal.aborted ? "timeout" : "internalError");
      } finally {
        deadline.stop();
      }
    },
  };
}

/**
 * Returns the URL of the DID document for a did:web.
 *
 * @param did A DID such as `did:web:<host>` or `did:web:<host>:<path>:…`. The host must be a
 *   lowercase DNS name with a dot, not an IP address or a name that is reserved for local networks.
 *   Path segments consist of letters, digits, `.`, `-` and `_`, and must not be `.` or `..`.
 * @param options With `allowPorts`, the form `<host>%3A<port>` is accepted (default: `false`).
 * @throws {CommError} With code "did_invalid" if the text is not a did:web with a valid host and
 *   path.
 *
 * @example Format the URLs of DID documents
 * ```ts
 * import { didWebUrl } from "@parley/comm/did-web";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(didWebUrl("did:web:example.com"), "https://example.com/.well-known/did.json");
 * assertEquals(didWebUrl("did:web:example.com:agents:ann"), "https://example.com/agents/ann/did.json");
 * ```
 */
export function didWebUrl(did: string, options: { readonly allowPorts?: boolean } = {}): string {
  const { allowPorts } = readUrlOptions(options);
  const url = readUrl(did, allowPorts);
  if (url === undefined) throw didInvalid(did, "not a did:web with a public host name");
  return url.href;
}

const readUrlOptions = optionsReader<{ readonly allowPorts?: boolean }>("options")({
  allowPorts: withDefault(false, assertOptionalBoolean),
});

/** State of the requests to one host. */
interface HostState {
  active: number;
  /** Functions that resume the waiting resolutions, in order. */
  readonly waiting: Set<() => void>;
}

/** Limits the number of concurrent requests to each host. */
class HostQueue {
  readonly #maxActive: number;
  readonly #maxWaiting: number;
  readonly #hosts = new Map<string, HostState>();

  constructor(maxActive: number, maxWaiting: number) {
    this.#maxActive = maxActive;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Waits until a request to the host is allowed; call `leave` after the request. Returns `false`
   * if too many resolutions are waiting. Rejects if the signal aborts.
   */
  async enter(host: string, signal: AbortSignal): Promise<boolean> {
    const state = this.#hosts.get(host) ?? { active: 0, waiting: new Set() };
    if (state.active < this.#maxActive) {
      state.active++;
      this.#hosts.set(host, state);
      return true;
    }
    if (state.waiting.size >= this.#maxWaiting) return false;
    let resume = (): void => {};
    const resumed = new Promise<void>((resolve) => resume = resolve);
    state.waiting.add(resume);
    try {
      await abortable(resumed, signal);
    } catch (error) {
      // If this resolution was resumed before the abort, the next waiting resolution may send its
      // request.
      if (!state.waiting.delete(resume)) this.leave(host);
      throw error;
    }
    return true;
  }

  /**
   * Marks a request to the host as finished and lets the next waiting resolution send its request.
   */
  leave(host: string): void {
    const state = this.#hosts.get(host);
    if (state === undefined) return;
    const [next] = state.waiting;
    if (next !== undefined) {
      state.waiting.delete(next);
      next();
    } else if (--state.active === 0) {
      this.#hosts.delete(host);
    }
  }
}

/**
 * Pattern for public DNS names. Top-level domains consist of letters or begin with `xn--`. `HOST`
 * does not match IPv4 addresses such as `1.2.3.4` and `0x7f.1`.
 */
const HOST =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])$/;

/**
 * Domain names that are not public: reserved names (RFC 6761, RFC 6762 including appendix G, RFC
 * 7686, RFC 8375, RFC 9476), names that ICANN does not delegate (`corp`, `home`, `internal`,
 * `mail`), and names that resolve in clusters and local networks.
 */
const LOCAL_NAMES = [
  ...["alt", "arpa", "example", "invalid", "local", "localhost", "onion", "test"],
  ...["corp", "home", "internal", "intranet", "lan", "localdomain", "mail", "private"],
  ...["consul", "default", "svc"],
];

function readUrl(did: string, allowPorts: boolean): URL | undefined {
  if (!isDid(did) || !did.startsWith("did:web:")) return undefined;
  const [authority = "", ...path] = parseDid(did).id.split(":");
  const [host = "", port] = authority.split(/%3A/i);
  if (!isPublicName(host) || !path.every(isSegment)) return undefined;
  if (authority.includes("%") && !(allowPorts && isPort(port, authority))) return undefined;
  const directory = path.length === 0 ? ".well-known" : path.join("/");
  const text = `https://${host}${port === undefined ? "" : `:${port}`}/${directory}/did.json`;
  // The URL parser rejects invalid internationalized names, such as `xn--a.com`.
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isPublicName(host: string): boolean {
  return host.length <= 253 && HOST.test(host) &&
    !LOCAL_NAMES.some((name) => host === name || host.endsWith(`.${name}`));
}

function isSegment(segment: string): boolean {
  return /^[A-Za-z0-9._-]+$/.test(segment) && segment !== "." && segment !== "..";
}

function isPort(port: string | undefined, authority: string): boolean {
  return port !== undefined && /^[1-9][0-9]{0,4}$/.test(port) && Number(port) <= 65_535 &&
    authority.split("%").length === 2;
}

interface FetchSettings
  extends Required<Pick<DidWebResolverOptions, "fetch" | "checkHost" | "maxBytes">> {
  readonly signal: AbortSignal;
}

async function fetchDocument(
  did: string,
  url: URL,
  settings: FetchSettings,
): Promise<DidResolutionResult> {
  const { signal, maxBytes } = settings;
  const isAllowed: unknown = await settings.checkHost(url.hostname, signal);
  if (isAllowed !== true) return createFailure("notAllowed");
  const response = await settings.fetch(
    new Request(url, {
      headers: { accept: "application/did+json, application/did+ld+json, application/json" },
      // `redirect: "error"` is not used, because workerd does not support it. A redirect response
      // is rejected below, because its status is not 2xx.
      redirect: "manual",
      credentials: "omit",
      referrerPolicy: "no-referrer",
      signal,
    }),
  );
  if (!response.ok || response.redirected || !isJson(response)) {
    await response.body?.cancel();
    return createFailure(toErrorName(response));
  }
  const bytes = await readBody(response.body, { maxBytes, signal });
  return bytes === undefined
    ? createFailure("invalidDidDocument")
    : readDocument(did, bytes, maxBytes);
}

function toErrorName({ status, ok }: Response): string {
  if (ok) return "invalidDidDocument";
  return status === 404 || status === 410 ? "notFound" : "internalError";
}

function isJson(response: Response): boolean {
  const type = (response.headers.get("content-type") ?? "").split(";", 1)[0] ?? "";
  return /^application\/(?:did\+|did\+ld\+)?json$/i.test(type.trim());
}

function readDocument(did: string, bytes: Uint8Array, maxBytes: number): DidResolutionResult {
  try {
    const document = parseJson(bytes, { maxBytes });
    if (isJsonObject(document) && document.id === did) return createSuccess(document);
  } catch {
    // The input is untrusted, so malformed JSON is reported as an invalid DID document.
  }
  return createFailure("invalidDidDocument");
}
