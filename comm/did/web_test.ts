import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { CommError } from "../shared/error.ts";
import { didWebResolver, type DidWebResolverOptions, didWebUrl } from "./web.ts";

const DID = "did:web:ann.example.com";

async function errorOf(
  response: Response | (() => Promise<Response>),
  options: DidWebResolverOptions = {},
): Promise<unknown> {
  const fetch = typeof response === "function" ? response : () => Promise.resolve(response);
  const { didResolutionMetadata } = await didWebResolver({ fetch, ...options }).resolve(DID);
  return didResolutionMetadata.error;
}

/** Examples from the did:web specification, §3.2. */
const ADDRESSES = {
  "did:web:w3c-ccg.github.io": "https://w3c-ccg.github.io/.well-known/did.json",
  "did:web:w3c-ccg.github.io:user:alice": "https://w3c-ccg.github.io/user/alice/did.json",
};

Deno.test("didWebUrl() maps DIDs to URLs", () => {
  for (const [did, url] of Object.entries(ADDRESSES)) assertEquals(didWebUrl(did), url);
  const did = "did:web:example.com%3A3000:user:alice";
  assertEquals(
    didWebUrl(did, { allowPorts: true }),
    "https://example.com:3000/user/alice/did.json",
  );
  assertThrows(() => didWebUrl(did), CommError);
});

Deno.test("didWebUrl() rejects hosts that are not public names", () => {
  const refused = [
    "did:key:z6Mk",
    "did:web:localhost",
    "did:web:foo.localhost",
    "did:web:printer.local",
    "did:web:db.internal",
    "did:web:kubernetes.default",
    "did:web:kubernetes.default.svc",
    "did:web:kubernetes.default.svc.cluster.local",
    "did:web:kubernetes.kube-system",
    "did:web:vault.service.consul",
    "did:web:router.lan",
    "did:web:intranet.corp",
    "did:web:smtp.mail",
    "did:web:nas.home",
    "did:web:nas.home.arpa",
    "did:web:1.2.3.4.in-addr.arpa",
    "did:web:db.private",
    "did:web:wiki.intranet",
    "did:web:host.localdomain",
    "did:web:name.alt",
    "did:web:ann.example",
    "did:web:ann.test",
    "did:web:ann.invalid",
    "did:web:ann.onion",
    "did:web:a.b",
    "did:web:xn--a.com",
    "did:web:a.xn--a",
    "did:web:127.0.0.1",
    "did:web:169.254.169.254",
    "did:web:0x7f.1",
    "did:web:2130706433",
    "did:web:example.1",
    "did:web:%5B%3A%3A1%5D",
    "did:web:user%40example.com",
    "did:web:user%3Apass%40example.com",
    "did:web:example.com%2Fpath%3Fx%23",
    "did:web:example.com%2F..%2F",
    "did:web:example.com:..:secret",
    "did:web:example.com:.:secret",
    "did:web:example.com:a%2Fb",
    "did:web:example.com:%2e%2e",
    "did:web:example.com::a",
    "did:web:example.com%3A",
    "did:web:example.com%3A0",
    "did:web:example.com%3A65536",
    "did:web:example.com%3A80%3A80",
    "did:web:Example.com",
    "did:web:example.com.",
    "did:web:-example.com",
    "did:web:example..com",
    "did:web:example_1.com",
    `did:web:${"a".repeat(64)}.com`,
    `did:web:${"a.".repeat(130)}com`,
  ];
  for (const did of refused) {
    const error = assertThrows(() => didWebUrl(did, { allowPorts: true }), CommError, "", did);
    assertEquals(error.code, "did_invalid", did);
  }
});

Deno.test("didWebResolver() fetches without redirects, credentials or referrer", async () => {
  const requests: Request[] = [];
  const resolver = didWebResolver({
    fetch: (request) => {
      requests.push(request);
      return Promise.resolve(Response.json({ id: DID }));
    },
  });
  const { didDocument } = await resolver.resolve(DID);
  assertEquals(didDocument, { id: DID });
  const [request] = requests;
  assertEquals([request?.url, request?.method, request?.redirect], [
    "https://ann.example.com/.well-known/did.json",
    "GET",
    "manual",
  ]);
});

Deno.test("didWebResolver() rejects redirects", async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    const headers = { location: "/did.json", "content-type": "application/json" };
    const response = new Response(`{"id":"${DID}"}`, { status, headers });
    assertEquals([status, await errorOf(response)], [status, "internalError"]);
  }
});

Deno.test("didWebResolver() does not contact a host that checkHost rejects", async () => {
  const hosts: string[] = [];
  const fetch = () => Promise.reject(new Error("fetched"));
  const checkHost = (host: string): Promise<boolean> => {
    hosts.push(host);
    return Promise.resolve(false);
  };
  assertEquals(await errorOf(fetch, { checkHost }), "notAllowed");
  assertEquals(hosts, ["ann.example.com"]);
  const { didResolutionMetadata } = await didWebResolver({ fetch }).resolve("did:web:localhost");
  assertEquals(didResolutionMetadata.error, "invalidDid");
});

Deno.test("didWebResolver() allows a host only if checkHost returns exactly true", async () => {
  const fetch = () => Promise.resolve(Response.json({ id: "did:web:ann.example.com" }));
  for (const answer of ["true", 1, {}, ["ann.example.com"], null, undefined]) {
    const options = { checkHost: () => answer };
    // @ts-expect-error the result is not a boolean
    assertEquals(await errorOf(fetch, options), "notAllowed");
  }
  assertEquals(await errorOf(fetch, { checkHost: () => true }), undefined);
});

Deno.test("didWebResolver() does not contact a host if checkHost throws or rejects", async () => {
  let fetches = 0;
  const fetch = () => {
    fetches++;
    return Promise.resolve(Response.json({ id: "did:web:ann.example.com" }));
  };
  const throwing = (): never => {
    throw new Error("no database");
  };
  for (const checkHost of [throwing, () => Promise.reject(new Error("no database"))]) {
    assertEquals(await errorOf(fetch, { checkHost }), "internalError");
  }
  assertEquals(fetches, 0);
});

Deno.test("didWebResolver() rejects an option of the wrong type", () => {
  for (const name of ["checkHost", "fetch", "allowPorts"]) {
    for (const value of [null, "false", 0]) {
      const create = () => Reflect.apply(didWebResolver, undefined, [{ [name]: value }]);
      assertThrows(create, TypeError, `"${name}" must be a`);
    }
  }
});

Deno.test("didWebResolver() accepts the media types of DID documents", async () => {
  for (
    const type of [
      "application/json; charset=utf-8",
      "application/did+json",
      "application/did+ld+json",
    ]
  ) {
    const headers = { "content-type": type };
    assertEquals(await errorOf(new Response(`{"id":"${DID}"}`, { headers })), undefined);
  }
  for (const type of ["text/html", "application/jsonp", ""]) {
    const headers = { "content-type": type };
    assertEquals(await errorOf(new Response(`{"id":"${DID}"}`, { headers })), "invalidDidDocument");
  }
});

Deno.test("didWebResolver() rejects invalid documents and documents for another DID", async () => {
  const json = { headers: { "content-type": "application/json" } };
  for (
    const body of [
      "[]",
      "nonsense",
      '{"id":"did:web:eve.example.com"}',
      `{"id":1,"id":"${DID}"}`,
      null,
    ]
  ) {
    assertEquals(await errorOf(new Response(body, json)), "invalidDidDocument");
  }
  assertEquals(await errorOf(new Response(null, { status: 404 })), "notFound");
  assertEquals(await errorOf(new Response(null, { status: 410 })), "notFound");
  assertEquals(await errorOf(new Response("oops", { status: 500 })), "internalError");
  assertEquals(await errorOf(new Response(null, { status: 302 })), "internalError");
  assertEquals(await errorOf(() => Promise.reject(new Error("refused"))), "internalError");
});

Deno.test("didWebResolver() stops reading a document that exceeds maxBytes", async () => {
  let cancelled = false;
  const body = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(1000)),
    cancel: () => {
      cancelled = true;
    },
  });
  const headers = { "content-type": "application/json" };
  assertEquals(await errorOf(new Response(body, { headers })), "invalidDidDocument");
  assert(cancelled);
  const text = JSON.stringify({ id: DID });
  assertEquals(
    await errorOf(new Response(text, { headers }), { maxBytes: text.length }),
    undefined,
  );
  assertEquals(
    await errorOf(new Response(text, { headers }), { maxBytes: text.length - 1 }),
    "invalidDidDocument",
  );
});

Deno.test("didWebResolver() times out even if fetch ignores its signal", async () => {
  using time = new FakeTime();
  const resolving = errorOf(() => new Promise(() => {}), { timeoutMs: 100 });
  await time.tickAsync(100);
  assertEquals(await resolving, "timeout");
});

Deno.test("didWebResolver() cancels a body that does not arrive in time", async () => {
  using time = new FakeTime();
  const canceled = Promise.withResolvers<void>();
  const body = new ReadableStream({ cancel: () => canceled.resolve() });
  const response = new Response(body, { headers: { "content-type": "application/json" } });
  const resolving = errorOf(response, { timeoutMs: 100 });
  await time.tickAsync(100);
  assertEquals(await resolving, "timeout");
  await canceled.promise;
});

Deno.test("didWebResolver() accepts an infinite timeout", async () => {
  for (const timeoutMs of [Infinity, 2 ** 40]) {
    assertEquals(await errorOf(Response.json({ id: DID }), { timeoutMs }), undefined);
  }
});

Deno.test("didWebResolver() rejects if the caller's signal is aborted", async () => {
  const controller = new AbortController();
  const resolver = didWebResolver({ fetch: () => new Promise(() => {}) });
  const resolving = resolver.resolve(DID, { signal: controller.signal });
  controller.abort(new Error("enough"));
  await assertRejects(() => resolving, Error, "enough");
  await assertRejects(() => resolver.resolve(DID, { signal: controller.signal }), Error, "enough");
});

Deno.test("didWebResolver() rejects invalid limits", () => {
  assertThrows(() => didWebResolver({ maxRequestsPerHost: 0 }), RangeError);
  assertThrows(() => didWebResolver({ maxWaitingPerHost: NaN }), RangeError);
  assertThrows(() => didWebResolver({ timeoutMs: 0 }), RangeError);
  assertThrows(() => didWebResolver({ maxBytes: -1 }), RangeError);
});

Deno.test("didWebResolver() accepts a document larger than 1 MiB if maxBytes allows it", async () => {
  const text = JSON.stringify({ id: DID, note: "a".repeat(2 * 1024 * 1024) });
  const respond = () => new Response(text, { headers: { "content-type": "application/json" } });
  assertEquals(await errorOf(respond(), { maxBytes: text.length }), undefined);
  assertEquals(await errorOf(respond(), { maxBytes: text.length - 1 }), "invalidDidDocument");
});

Deno.test("didWebUrl() accepts public names that resemble local names", () => {
  for (const host of ["svc.com", "home.example.com", "xn--fa-hia.de", "a.xn--p1ai", "corp.io"]) {
    assertEquals(didWebUrl(`did:web:${host}`), `https://${host}/.well-known/did.json`);
  }
});

Deno.test("didWebResolver() returns invalidDid for a host with invalid Punycode", async () => {
  for (const did of ["did:web:xn--a.com", "did:web:a.xn--a"]) {
    const { didResolutionMetadata } = await didWebResolver().resolve(did);
    assertEquals(didResolutionMetadata.error, "invalidDid");
  }
});

/** A web server that responds when the test releases its requests. */
function createHeldServer(): {
  readonly urls: string[];
  readonly fetch: (request: Request) => Promise<Response>;
  readonly release: () => void;
} {
  const urls: string[] = [];
  const held: (() => void)[] = [];
  return {
    urls,
    fetch: async ({ url }) => {
      urls.push(url);
      await new Promise<void>((resolve) => held.push(resolve));
      return new Response(null, { status: 404 });
    },
    release: () => held.splice(0).forEach((resolve) => resolve()),
  };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await Promise.resolve();
}

Deno.test("didWebResolver() limits the concurrent requests to a host", async () => {
  const { urls, fetch, release } = createHeldServer();
  const resolver = didWebResolver({ fetch, maxWaitingPerHost: 3 });
  const victim = Array.from(
    { length: 8 },
    (_, index) => resolver.resolve(`did:web:victim.example.com:${index}`),
  );
  const other = resolver.resolve(DID);
  await settle();
  assertEquals(urls.length, 5);
  assertEquals((await victim.at(-1))?.didResolutionMetadata.error, "tooManyRequests");
  release();
  await settle();
  assertEquals(urls.length, 8);
  release();
  const errors = (await Promise.all(victim.slice(0, 7))).map((result) =>
    result.didResolutionMetadata.error
  );
  assertEquals(errors, Array(7).fill("notFound"));
  await other;
});

Deno.test("didWebResolver() stops waiting for a host when the signal aborts", async () => {
  const { urls, fetch, release } = createHeldServer();
  const resolver = didWebResolver({ fetch, maxRequestsPerHost: 1 });
  const controller = new AbortController();
  const first = resolver.resolve("did:web:example.com:1");
  const second = resolver.resolve("did:web:example.com:2", { signal: controller.signal });
  const third = resolver.resolve("did:web:example.com:3");
  await settle();
  controller.abort(new Error("stop"));
  await assertRejects(() => second, Error, "stop");
  release();
  await settle();
  release();
  await Promise.all([first, third]);
  assertEquals(urls.map((url) => url.at(-"/did.json".length - 1)), ["1", "3"]);
});

Deno.test("didWebResolver() allows the next request if fetch never settles", async () => {
  using time = new FakeTime();
  let requests = 0;
  const resolver = didWebResolver({
    fetch: () => {
      requests++;
      return new Promise(() => {});
    },
    maxRequestsPerHost: 1,
    timeoutMs: 50,
  });
  const first = resolver.resolve(DID);
  await time.tickAsync(50);
  assertEquals((await first).didResolutionMetadata.error, "timeout");
  const second = resolver.resolve(DID);
  await time.tickAsync(50);
  assertEquals((await second).didResolutionMetadata.error, "timeout");
  assertEquals(requests, 2);
});

Deno.test("didWebResolver() returns tooManyRequests if a resolution waits until the timeout", async () => {
  using time = new FakeTime();
  const fetch = () => new Promise<Response>(() => {});
  const resolver = didWebResolver({ fetch, maxRequestsPerHost: 1, timeoutMs: 50 });
  const results = ["1", "2"].map((id) => resolver.resolve(`did:web:example.com:${id}`));
  await time.tickAsync(50);
  const errors = (await Promise.all(results)).map((result) => result.didResolutionMetadata.error);
  assertEquals(errors, ["timeout", "tooManyRequests"]);
});
