/**
 * `comm` operations for DID resolution, with scripted web servers.
 *
 * @module
 */

import {
  cachedResolver,
  combineResolvers,
  didJwkResolver,
  didKeyResolver,
  type DidResolutionResult,
  type Resolvable,
  resolveDid,
} from "@parley/comm/did";
import { didWebResolver, didWebUrl } from "@parley/comm/did-web";
import { BadArgs, type Fields, fieldsOf, type Operation, pick, textOf } from "./operation.ts";
import { ScriptedWeb } from "./scripted_web.ts";

/** Resolves `did:key` and `did:jwk` DIDs, which encode their public key and need no network. */
export const OFFLINE_RESOLVER: Resolvable = combineResolvers({
  key: didKeyResolver,
  jwk: didJwkResolver,
});

/** Implementations of the operations, keyed by operation name. */
export const RESOLVER_OPS: Readonly<Record<string, Operation>> = {
  "comm.did.webUrl": ({ args }) => ({
    url: didWebUrl(textOf(args, "did"), pick(args, "allowPorts")),
  }),
  "comm.resolver.new": ({ args, handles }) => {
    const world = new World(args);
    return { handle: handles.add(world, () => world.web.release()) };
  },
  "comm.resolver.resolve": async ({ on, args, signal }) => ({
    document: await worldOf(on).resolve(textOf(args, "did"), args, signal),
  }),
  "comm.resolver.requests": ({ on }) => ({ requests: worldOf(on).web.requests }),
  "comm.resolver.release": ({ on }) => worldOf(on).web.release(),
};

/** A resolver, its scripted web servers and its clock. */
class World {
  readonly web: ScriptedWeb;
  readonly #resolver: Resolvable;
  #nowMs = Date.now();

  constructor(args: Fields) {
    this.web = new ScriptedWeb(fieldsOf(args, "web"));
    const { refusedHosts } = args;
    const web = didWebResolver({
      fetch: (request) => this.web.fetch(request),
      ...(Array.isArray(refusedHosts) ? { checkHost: (host) => !refusedHosts.includes(host) } : {}),
      ...pick(args, "timeoutMs", "maxBytes", "allowPorts"),
      ...pick(args, "maxRequestsPerHost", "maxWaitingPerHost"),
    });
    const methods = { web, key: didKeyResolver, jwk: didJwkResolver };
    this.#resolver = cachedResolver(combineResolvers(methods), {
      now: () => this.#nowMs,
      ...pick(args, "ttlMs", "negativeTtlMs", "maxEntries"),
      ...(args.maxCacheBytes === undefined ? {} : { maxBytes: Number(args.maxCacheBytes) }),
    });
  }

  resolve(did: string, args: Fields, signal: AbortSignal): Promise<object> {
    if (args.now !== undefined) this.#nowMs = Date.parse(textOf(args, "now"));
    return resolveDid(did, this.#resolver, { signal });
  }
}

function worldOf(on: unknown): World {
  if (on instanceof World) return on;
  throw new BadArgs('"on" must be the handle of a resolver');
}

/** Returns the option `resolver` if the case has DID documents. */
export function resolvingBy(args: Fields): { readonly resolver?: Resolvable } {
  return args.didDocuments === undefined && args.didMetadata === undefined
    ? {}
    : { resolver: resolverOf(args) };
}

/** Creates a resolver that uses the DID documents in a case, and resolves other DIDs offline. */
export function resolverOf(args: Fields): Resolvable {
  const documents = fieldsOf(args, "didDocuments");
  const metadata = fieldsOf(args, "didMetadata");
  return {
    resolve(did, options) {
      const { error, hangs, throws, ...didDocumentMetadata } = fieldsOf(metadata, did);
      if (hangs === true) return abortOf(options?.signal);
      if (throws === true) return Promise.reject(new Error("the resolver failed"));
      if (typeof error === "string") return Promise.resolve(failWith(error));
      return Object.hasOwn(documents, did)
        ? Promise.resolve({
          didDocument: documents[did],
          didResolutionMetadata: {},
          didDocumentMetadata,
        })
        : OFFLINE_RESOLVER.resolve(did, options);
    },
  };
}

function failWith(error: string): DidResolutionResult {
  return { didDocument: null, didResolutionMetadata: { error }, didDocumentMetadata: {} };
}

/** Rejects when the signal is aborted. Never resolves. */
function abortOf(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) =>
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true })
  );
}
