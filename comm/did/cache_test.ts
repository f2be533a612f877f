import {
  assert,
  assertEquals,
  assertFalse,
  assertRejects,
  assertStrictEquals,
  assertThrows,
} from "@std/assert";
import { isJsonObject } from "../shared/json.ts";
import { cachedResolver, isCachedDocument } from "./cache.ts";
import { CommError } from "../shared/error.ts";
import {
  type DidResolutionOptions,
  type DidResolutionResult,
  type Resolvable,
  resolveDid,
} from "./resolver.ts";

const DID = "did:example:ann";

/** A resolver whose results the test supplies. */
class ManualResolver implements Resolvable {
  readonly asked: string[] = [];
  readonly signals: (AbortSignal | undefined)[] = [];
  #answers: PromiseWithResolvers<DidResolutionResult>[] = [];

  resolve(did: string, options?: DidResolutionOptions): Promise<DidResolutionResult> {
    this.asked.push(did);
    this.signals.push(options?.signal);
    const answer = Promise.withResolvers<DidResolutionResult>();
    this.#answers.push(answer);
    return answer.promise;
  }

  answer(result: unknown): void {
    const answer = this.#answers.shift();
    if (answer !== undefined) Reflect.apply(answer.resolve, undefined, [result]);
  }

  fail(reason: unknown): void {
    this.#answers.shift()?.reject(reason);
  }
}

/** Creates a resolver that resolves immediately and records the requested DIDs. */
function instant(asked: string[]): Resolvable {
  return {
    resolve: (did) => {
      asked.push(did);
      return Promise.resolve(success(did));
    },
  };
}

function success(id: string): DidResolutionResult {
  return { didDocument: { id }, didResolutionMetadata: {}, didDocumentMetadata: {} };
}

const NOT_FOUND = {
  didDocument: null,
  didResolutionMetadata: { error: "notFound" },
  didDocumentMetadata: {},
};

Deno.test("cachedResolver() shares one resolution among concurrent callers", async () => {
  const manual = new ManualResolver();
  const resolver = cachedResolver(manual);
  const both = [resolver.resolve(DID), resolver.resolve(DID)];
  manual.answer(success(DID));
  const [first, second] = await Promise.all(both);
  assertStrictEquals(first, second);
  assertEquals(manual.asked, [DID]);
});

Deno.test("cachedResolver() evicts documents and failures when their lifetime has expired", async () => {
  const manual = new ManualResolver();
  let now = 0;
  const resolver = cachedResolver(manual, { ttlMs: 100, negativeTtlMs: 10, now: () => now });
  const ask = async (result: unknown): Promise<DidResolutionResult> => {
    const resolving = resolver.resolve(DID);
    manual.answer(result);
    return await resolving;
  };
  await ask(NOT_FOUND);
  now = 9;
  assertEquals((await resolver.resolve(DID)).didResolutionMetadata.error, "notFound");
  now = 10;
  await ask(success(DID));
  now = 109;
  assertEquals((await resolver.resolve(DID)).didDocument, { id: DID });
  now = 110;
  await ask(success(DID));
  assertEquals(manual.asked.length, 3);
});

Deno.test("cachedResolver() does not cache a rejection", async () => {
  const manual = new ManualResolver();
  const resolver = cachedResolver(manual);
  const failing = [resolver.resolve(DID), resolver.resolve(DID)];
  manual.fail(new Error("down"));
  for (const each of failing) await assertRejects(() => each, Error, "down");
  const again = resolver.resolve(DID);
  manual.answer(success(DID));
  assertEquals((await again).didDocument, { id: DID });
});

Deno.test("cachedResolver() evicts the least recently used entry", async () => {
  const asked: string[] = [];
  const resolver = cachedResolver(instant(asked), { maxEntries: 2 });
  for (const id of ["a", "b", "a", "c", "a", "b"]) await resolver.resolve(`did:example:${id}`);
  assertEquals(asked.map((did) => did.at(-1)).join(""), "abcb");
});

Deno.test("cachedResolver() limits the number of shared resolutions", async () => {
  const manual = new ManualResolver();
  const resolver = cachedResolver(manual, { maxEntries: 1 });
  const all = ["a", "b", "b"].map((id) => resolver.resolve(`did:example:${id}`));
  for (const _each of all) manual.answer(success(DID));
  await Promise.all(all);
  assertEquals(manual.asked.length, 3);
});

Deno.test("cachedResolver() rejects an aborted caller and resolves the others", async () => {
  const manual = new ManualResolver();
  const resolver = cachedResolver(manual);
  const controller = new AbortController();
  const hasty = resolver.resolve(DID, { signal: controller.signal });
  const patient = resolver.resolve(DID);
  controller.abort(new Error("enough"));
  await assertRejects(() => hasty, Error, "enough");
  assertFalse(manual.signals[0]?.aborted);
  manual.answer(success(DID));
  assertEquals((await patient).didDocument, { id: DID });
});

Deno.test("cachedResolver() aborts a resolution when no callers remain, and resolves again on the next call", async () => {
  const manual = new ManualResolver();
  const resolver = cachedResolver(manual);
  const controller = new AbortController();
  const pending = resolver.resolve(DID, { signal: controller.signal });
  controller.abort(new Error("enough"));
  await assertRejects(() => pending, Error, "enough");
  assert(manual.signals[0]?.aborted);
  const next = resolver.resolve(DID);
  manual.fail(controller.signal.reason);
  manual.answer(success(DID));
  assertEquals((await next).didDocument, { id: DID });
  await assertRejects(() => resolver.resolve(DID, { signal: controller.signal }), Error, "enough");
});

Deno.test("cachedResolver() returns a frozen copy of the result", async () => {
  const didDocument = { id: DID, authentication: ["#1"] };
  const resolver = cachedResolver({
    resolve: () =>
      Promise.resolve({
        didDocument,
        didResolutionMetadata: {},
        didDocumentMetadata: { deactivated: true },
      }),
  });
  const result = await resolver.resolve(DID);
  didDocument.authentication.push("#2");
  assertEquals(result, {
    didDocument: { id: DID, authentication: ["#1"] },
    didResolutionMetadata: {},
    didDocumentMetadata: { deactivated: true },
  });
  const { didDocument: cached } = result;
  assert(isJsonObject(cached) && isDeeplyFrozen(result) && isCachedDocument(cached));
  assertFalse(isCachedDocument({ ...cached }));
});

function isDeeplyFrozen(value: unknown): boolean {
  return typeof value !== "object" || value === null ||
    (Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen));
}

Deno.test("cachedResolver() rejects invalid limits", () => {
  const resolver = instant([]);
  assertThrows(() => cachedResolver(resolver, { ttlMs: -1 }), RangeError);
  assertThrows(() => cachedResolver(resolver, { negativeTtlMs: NaN }), RangeError);
  assertThrows(() => cachedResolver(resolver, { maxEntries: 0 }), RangeError);
  assertThrows(() => cachedResolver(resolver, { maxBytes: NaN }), RangeError);
});

Deno.test("cachedResolver() evicts entries until the cache is below maxBytes", async () => {
  const asked: string[] = [];
  const large = "x".repeat(1000);
  const resolver = cachedResolver({
    resolve: (did) => {
      asked.push(did.slice(-1));
      const size = did.endsWith("z") ? 10 : 1;
      return Promise.resolve({
        ...success(did),
        didDocument: { id: did, service: large.repeat(size) },
      });
    },
  }, { maxBytes: 6500 });
  const use = async (id: string): Promise<void> => {
    await resolver.resolve(`did:example:${id}`);
  };
  for (const id of ["a", "b", "a", "c", "a", "b"]) await use(id);
  assertEquals(asked.join(""), "abcb");
  // A result that exceeds the limit is not cached, and does not evict other results.
  for (const id of ["z", "a", "b", "z"]) await use(id);
  assertEquals(asked.join(""), "abcbzz");
});

Deno.test("cachedResolver() counts the memory of many small values", async () => {
  // The memory usage of each document was measured in V8. Each document takes more than 300,000
  // bytes, although its text has at most 110,000 characters.
  const values: Readonly<Record<string, readonly unknown[]>> = {
    objects: Array.from({ length: 5000 }, () => ({})),
    objectsWithUniqueMembers: Array.from({ length: 2000 }, (_, index) => ({ [`m${index}`]: 1 })),
    numbers: Array.from({ length: 13_000 }, (_, index) => index + 0.5),
  };
  for (const [name, x] of Object.entries(values)) {
    let asked = 0;
    const resolver = cachedResolver({
      resolve: (did) => {
        asked++;
        return Promise.resolve({ ...success(did), didDocument: { id: did, x } });
      },
    }, { maxBytes: 300_000 });
    await resolver.resolve(DID);
    await resolver.resolve(DID);
    assertEquals(asked, 2, name);
  }
});

Deno.test("cachedResolver() accepts results without resolution metadata", async () => {
  const manual = new ManualResolver();
  const resolver = cachedResolver(manual);
  for (const result of [{ didDocument: { id: DID } }, {}, { didDocument: null }]) {
    const asked = resolver.resolve(`did:example:${manual.asked.length}`);
    manual.answer(result);
    const { didDocument, didResolutionMetadata } = await asked;
    const isFound = result.didDocument !== undefined && result.didDocument !== null;
    assertEquals(didDocument, isFound ? { id: DID } : null);
    assertEquals(didResolutionMetadata, isFound ? {} : { error: "notFound" });
  }
});

Deno.test("cachedResolver() caches that a DID is deactivated, with or without a document", async () => {
  for (const didDocument of [null, { id: DID }]) {
    const resolver = cachedResolver({
      resolve: () =>
        Promise.resolve({
          didDocument,
          didResolutionMetadata: {},
          didDocumentMetadata: { deactivated: true },
        }),
    });
    for (const _call of ["uncached", "cached"]) {
      const error = await assertRejects(() => resolveDid(DID, resolver), CommError);
      assertEquals(error.code, "did_deactivated");
    }
  }
});

Deno.test("cachedResolver() resolves again if its clock was set back", async () => {
  const asked: string[] = [];
  let now = 1_000_000;
  const resolver = cachedResolver(instant(asked), { ttlMs: 100, now: () => now });
  await resolver.resolve(DID);
  now -= 500_000;
  await resolver.resolve(DID);
  now += 99;
  await resolver.resolve(DID);
  assertEquals(asked.length, 2);
});

Deno.test("cachedResolver() rejects while its clock is invalid", async () => {
  for (const value of [NaN, null, undefined, Infinity, -Infinity, "1000"]) {
    const asked: string[] = [];
    let time: unknown = 1000;
    // The types do not permit some times, but clocks in JavaScript can return them.
    const resolver = cachedResolver(instant(asked), { now: () => time as number });
    await resolver.resolve(DID);
    time = value;
    for (const did of [DID, `${DID}:other`]) {
      await assertRejects(() => resolver.resolve(did), TypeError, '"now()"');
    }
    time = 1000;
    await resolver.resolve(DID);
    assertEquals(asked, [DID, `${DID}:other`]);
  }
});

Deno.test("cachedResolver() does not cache a failure with tooManyRequests", async () => {
  const manual = new ManualResolver();
  const resolver = cachedResolver(manual);
  const flooded = resolver.resolve(DID);
  manual.answer({ ...NOT_FOUND, didResolutionMetadata: { error: "tooManyRequests" } });
  assertEquals((await flooded).didResolutionMetadata.error, "tooManyRequests");
  const later = resolver.resolve(DID);
  manual.answer(success(DID));
  assertEquals((await later).didDocument, { id: DID });
});

Deno.test("failures and documents of did:key do not evict documents that were fetched", async () => {
  const asked: string[] = [];
  const resolver = cachedResolver({
    resolve(did) {
      asked.push(did);
      return Promise.resolve(did.includes("missing") ? NOT_FOUND : success(did));
    },
  }, { maxEntries: 2 });
  const fetched = ["did:web:a.example", "did:web:b.example"];
  for (const did of fetched) await resolver.resolve(did);
  for (let n = 0; n < 10; n++) {
    await resolver.resolve(`did:web:missing${n}.example`);
    await resolver.resolve(`did:key:z${n}`);
  }
  asked.length = 0;
  for (const did of fetched) await resolver.resolve(did);
  await resolver.resolve("did:web:missing9.example");
  await resolver.resolve("did:key:z9");
  assertEquals(asked, []);
});

Deno.test("failures that need no network access are not cached", async () => {
  for (const error of ["invalidDid", "invalidDidUrl", "methodNotSupported"]) {
    let calls = 0;
    const resolver = cachedResolver({
      resolve() {
        calls++;
        return Promise.resolve({ ...NOT_FOUND, didResolutionMetadata: { error } });
      },
    });
    for (let n = 0; n < 2; n++) await resolver.resolve(DID);
    assertEquals(calls, 2);
  }
});

Deno.test("DIDs of one domain or method do not evict the results of another domain", async () => {
  const asked: string[] = [];
  const resolver = cachedResolver({
    resolve: (did) => {
      asked.push(did);
      const isMissing = did.includes("missing");
      return Promise.resolve({
        didDocument: isMissing ? null : { id: did },
        didResolutionMetadata: isMissing ? { error: "notFound" } : {},
        didDocumentMetadata: {},
      });
    },
  }, { maxEntries: 10 });
  const kept = ["did:web:shop.com", "did:web:missing.com"];
  for (const did of kept) await resolver.resolve(did);
  for (let n = 0; n < 30; n++) {
    for (
      const did of [`did:web:a${n}.flood.com`, `did:web:flood.com:missing${n}`, `did:plc:${n}`]
    ) {
      await resolver.resolve(did);
    }
  }
  asked.length = 0;
  for (const did of kept) await resolver.resolve(did);
  assertEquals(asked, []);
});

Deno.test("a DID whose state of deactivation is not a boolean is deactivated, cached or not", async () => {
  for (const deactivated of ["true", "false", 1, 0, {}]) {
    const resolver: Resolvable = {
      // The cast stands for a resolver that is written in JavaScript.
      resolve: () =>
        Promise.resolve({
          didDocument: { id: DID },
          didResolutionMetadata: {},
          didDocumentMetadata: { deactivated },
        } as unknown as DidResolutionResult),
    };
    const cached = cachedResolver(resolver);
    for (const each of [resolver, cached, cached]) {
      const error = await assertRejects(() => resolveDid(DID, each), CommError);
      assertEquals(error.code, "did_deactivated");
    }
  }
});
