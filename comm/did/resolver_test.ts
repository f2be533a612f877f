import { assertEquals, assertRejects } from "@std/assert";
import { CommError } from "../shared/error.ts";
import { didKeyResolver } from "./key.ts";
import { combineResolvers, type Resolvable, resolveDid } from "./resolver.ts";

const DID = "did:example:ann";

function answer(result: unknown): Resolvable {
  const resolver: Resolvable = combineResolvers({});
  return Object.assign(resolver, { resolve: () => Promise.resolve(result) });
}

async function codeOf(did: string, resolver: Resolvable): Promise<string> {
  return (await assertRejects(() => resolveDid(did, resolver), CommError)).code;
}

Deno.test("resolveDid() validates the result of a resolver", async () => {
  const metadata = { didResolutionMetadata: {}, didDocumentMetadata: {} };
  const answers: readonly (readonly [result: unknown, code: string])[] = [
    [undefined, "did_resolution_failed"],
    ["nonsense", "did_resolution_failed"],
    [{ didDocument: null, ...metadata }, "did_resolution_failed"],
    [{ didDocument: { id: "did:example:eve" }, ...metadata }, "did_resolution_failed"],
    [{ didDocument: { id: 5 }, ...metadata }, "did_resolution_failed"],
    [{ didDocument: null, didResolutionMetadata: { error: "notFound" } }, "did_resolution_failed"],
    [{ didDocument: null, didResolutionMetadata: { error: "invalidDid" } }, "did_invalid"],
    [{ didResolutionMetadata: { error: "unsupportedDidMethod" } }, "did_method_unsupported"],
    [{ didResolutionMetadata: { error: { toString: 1 } } }, "did_resolution_failed"],
    [
      { didDocument: { id: DID }, didDocumentMetadata: { deactivated: true } },
      "did_deactivated",
    ],
  ];
  for (const [result, code] of answers) {
    assertEquals(await codeOf(DID, answer(result)), code, JSON.stringify(result));
  }
});

Deno.test("resolveDid() reports the cause if the resolver fails", async () => {
  const cause = new Error("down");
  const throwing = (): never => {
    throw cause;
  };
  for (const resolve of [throwing, () => Promise.reject(cause)]) {
    const error = await assertRejects(() => resolveDid(DID, { resolve }), CommError);
    assertEquals([error.code, error.cause], ["did_resolution_failed", cause]);
  }
});

Deno.test("resolveDid() does not call the resolver if the DID is invalid or the signal is aborted", async () => {
  const resolver = {
    resolve(): never {
      throw new Error("asked");
    },
  };
  assertEquals(await codeOf("ann", resolver), "did_invalid");
  const signal = AbortSignal.abort(new Error("enough"));
  await assertRejects(() => resolveDid(DID, resolver, { signal }), Error, "enough");
});

Deno.test("combineResolvers() selects the resolver by DID method and forwards the options", async () => {
  const signals: unknown[] = [];
  const resolver = combineResolvers({
    key: didKeyResolver,
    example: {
      resolve(_did, options) {
        signals.push(options?.signal);
        return Promise.resolve({
          didDocument: { id: DID },
          didResolutionMetadata: {},
          didDocumentMetadata: {},
        });
      },
    },
  });
  const { signal } = new AbortController();
  assertEquals(await resolveDid(DID, resolver, { signal }), { id: DID });
  assertEquals(signals, [signal]);
  assertEquals(await codeOf("did:constructor:a", resolver), "did_method_unsupported");
  assertEquals((await resolver.resolve("nonsense")).didResolutionMetadata.error, "invalidDid");
});

Deno.test("combineResolvers() rejects if the signal aborts while a resolver ignores it", async () => {
  const endless = { resolve: (): Promise<never> => new Promise(() => {}) };
  const resolver = combineResolvers({ example: endless });
  const stopping = new AbortController();
  const resolving = assertRejects(() => resolver.resolve(DID, { signal: stopping.signal }), Error);
  stopping.abort(new Error("enough"));
  assertEquals((await resolving).message, "enough");
});
