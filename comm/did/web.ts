/**
 * did:web: DID documents from web servers, fetched with suspicion.
 *
 * A DID comes from a stranger and names a host that this process then connects to. The resolver therefore takes https
 * and public DNS names only, follows no redirect, and bounds time and size. What it cannot do is pin the address that
 * `fetch` connects to: use {@linkcode DidWebResolverOptions.checkHost} for a list of hosts or a look at their
 * addresses, and in Deno `--allow-net`, which is the one hard limit.
 *
 * @example Trust did:web of one organization
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

import { abortable } from "../shared/abortable.ts";
import { concatBytes } from "../shared/concat_bytes.ts";
import { didInvalid } from "../shared/error.ts";
import { isJsonObject } from "../shared/json.ts";
import { parseJson } from "../shared/json_parse.ts";
import { isDid, parseDid } from "./did.ts";
import {
  createFailure,
  createSuccess,
  type DidResolutionResult,
  type Resolvable,
} from "./resolver.ts";

/** Options of {@linkcode didWebResolver}. */
export interface DidWebResolverOptions {
  /** Fetches; the default is the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>;
  /**
   * Whether a host may be asked, for lists of hosts and looks at their addresses; the default is any that
   * {@linkcode didWebUrl} takes.
   */
  readonly checkHost?: (host: string, signal: AbortSignal) => boolean | Promise<boolean>;
  /** Whether a DID may name a port; the default is false. */
  readonly allowPorts?: boolean;
  /** How long all of it may take, in milliseconds; the default is 5000. */
  readonly timeoutMs?: number;
  /** How long a document may be, in bytes; the default is 64 KiB. */
  readonly maxBytes?: number;
}

/**
 * Creates a resolver for did:web. Put `cachedResolver` in front of it.
 *
 * It answers with the error `invalidDid`, `notAllowed` (by `checkHost`), `notFound` (status 404 and 410),
 * `invalidDidDocument` (no JSON object, another media type, too long, another `id`), `timeout` or `internalError`.
 *
 * @param options limits
 * @throws {RangeError} when a limit is not positive
 *
 * @example Resolve over a fetch of your own
 * ```ts
 * import { resolveDid } from "@parley/comm/did";
 * import { didWebResolver } from "@parley/comm/did-web";
 * import { assertEquals } from "@std/assert";
 *
 * const resolver = didWebResolver({
 *   fetch: (request) => Promise.resolve(Response.json({ id: "did:web:example.com", url: request.url })),
 * });
 * const document = await resolveDid("did:web:example.com", resolver);
 * assertEquals(document.url, "https://example.com/.well-known/did.json");
 * ```
 */
export function didWebResolver(options: DidWebResolverOptions = {}): Resolvable {
  const { timeoutMs = 5000, maxBytes = 65_536, allowPorts = false } = options;
  for (const [name, value] of Object.entries({ timeoutMs, maxBytes })) {
    if (!(value > 0)) throw new RangeError(`"${name}" must be positive, got ${value}`);
  }
  const { fetch = (request: Request) => globalThis.fetch(request), checkHost = () => true } =
    options;
  const settings = { fetch, checkHost, maxBytes };
  return {
    async resolve(did, { signal } = {}): Promise<DidResolutionResult> {
      signal?.throwIfAborted();
      const url = readUrl(did, allowPorts);
      if (url === undefined) return createFailure("invalidDid");
      const timeout = AbortSignal.timeout(Math.min(timeoutMs, 0x7fffffff));
      const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
      try {
        return await abortable(fetchDocument(did, url, { ...settings, signal: either }), either);
      } catch {
        // Why a stranger's server cannot be reached is not told to whoever sent the DID: it would map the network.
        signal?.throwIfAborted();
        return createFailure(timeout.aborted ? "timeout" : "internalError");
      }
    },
  };
}

/**
 * The address of a did:web's document.
 *
 * @param did `did:web:<host>` or `did:web:<host>:<path>:…`; the host a lower-case DNS name with a dot, neither an IP
 *   address nor a local name, and path segments of letters, digits, `.`, `-` and `_`, none of them `.` or `..`
 * @param options `allowPorts`: whether `<host>%3A<port>` is taken; the default is false
 * @throws {CommError} `did_invalid` for any other DID
 *
 * @example Where documents are
 * ```ts
 * import { didWebUrl } from "@parley/comm/did-web";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(didWebUrl("did:web:example.com"), "https://example.com/.well-known/did.json");
 * assertEquals(didWebUrl("did:web:example.com:agents:ann"), "https://example.com/agents/ann/did.json");
 * ```
 */
export function didWebUrl(did: string, options: { readonly allowPorts?: boolean } = {}): string {
  const url = readUrl(did, options.allowPorts ?? false);
  if (url === undefined) throw didInvalid(did, "not a did:web of a public host");
  return url.href;
}

/** Labels, the last of which must not be a number: `1.2.3.4`, `0x7f.1` and the like are IPv4 addresses to a URL. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** Names that are never public: RFC 6761, RFC 6762, RFC 8375, and the private-use name of ICANN. */
const LOCAL_NAMES = ["localhost", "local", "internal", "home.arpa", "test", "invalid", "onion"];

function readUrl(did: string, allowPorts: boolean): URL | undefined {
  if (!isDid(did) || !did.startsWith("did:web:")) return undefined;
  const [authority = "", ...path] = parseDid(did).id.split(":");
  const [host = "", port] = authority.split(/%3A/i);
  if (!isPublicName(host) || !path.every(isSegment)) return undefined;
  if (authority.includes("%") && !(allowPorts && isPort(port, authority))) return undefined;
  const directory = path.length === 0 ? ".well-known" : path.join("/");
  return new URL(`https://${host}${port === undefined ? "" : `:${port}`}/${directory}/did.json`);
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

interface FetchSettings {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly checkHost: (host: string, signal: AbortSignal) => boolean | Promise<boolean>;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

async function fetchDocument(
  did: string,
  url: URL,
  settings: FetchSettings,
): Promise<DidResolutionResult> {
  const { signal, maxBytes } = settings;
  if (!await settings.checkHost(url.hostname, signal)) return createFailure("notAllowed");
  const response = await settings.fetch(
    new Request(url, {
      headers: { accept: "application/did+json, application/did+ld+json, application/json" },
      // Not "error", which workerd does not know; what redirects is no answer of status 200.
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
  const bytes = await readBody(response, maxBytes);
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

/** Reads a body up to a limit; undefined when it is longer. A length that the server claims proves nothing. */
async function readBody(response: Response, maxBytes: number): Promise<Uint8Array | undefined> {
  if (response.body === null) return new Uint8Array();
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > maxBytes) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(value);
  }
  return concatBytes(chunks);
}

function readDocument(did: string, bytes: Uint8Array, maxBytes: number): DidResolutionResult {
  try {
    const document = parseJson(bytes, { maxBytes });
    if (isJsonObject(document) && document.id === did) return createSuccess(document);
  } catch {
    // A strict parser's refusal of a stranger's text: all of it comes to the same.
  }
  return createFailure("invalidDidDocument");
}
