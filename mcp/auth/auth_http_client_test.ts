import { assertEquals, assertRejects } from "@std/assert";
import { stub } from "@std/testing/mock";
import { FakeTime } from "@std/testing/time";
import { McpError } from "../shared/error.ts";
import type { HttpFetch } from "../shared/http_types.ts";
import { aborted } from "../testdata/web.ts";
import { AuthHttpClient } from "./auth_http_client.ts";

const LIMITS = { requestTimeoutMs: 1000, maxResponseBytes: 100 };

function webOf(fetch: HttpFetch, signal = new AbortController().signal): AuthHttpClient {
  return new AuthHttpClient({ fetch, ...LIMITS }, signal);
}

Deno.test("AuthHttpClient.fetch() rejects after the request timeout", async () => {
  using time = new FakeTime();
  const web = webOf((_url, { signal }) => aborted(signal ?? new AbortController().signal));
  const refused = assertRejects(
    () => web.fetch("https://login.example/x"),
    McpError,
    'request to "https://login.example" timed out after 1000 ms',
  );
  await time.tickAsync(1000);
  await refused;
});

Deno.test("AuthHttpClient.fetch() does not time out immediately if the timeout is longer than a timer", async () => {
  using timers = stub(globalThis, "setTimeout");
  for (const requestTimeoutMs of [2 ** 31, Infinity]) {
    const options = {
      ...LIMITS,
      requestTimeoutMs,
      fetch: () => Promise.resolve(new Response("a")),
    };
    const web = new AuthHttpClient(options, new AbortController().signal);
    assertEquals(await (await web.fetch("https://login.example/x")).text(), "a");
  }
  assertEquals(timers.calls.map(({ args }) => args[1]), [2 ** 31 - 1, 2 ** 31 - 1]);
});

Deno.test("AuthHttpClient.fetch() applies the request timeout to the response body", async () => {
  using time = new FakeTime();
  const web = webOf((_url, { signal }) => {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        signal?.addEventListener("abort", () => controller.error(signal.reason));
      },
    });
    return Promise.resolve(new Response(body));
  });
  const refused = assertRejects(() => web.fetch("https://login.example/x"), McpError, "1000 ms");
  await time.tickAsync(1000);
  await refused;
});

Deno.test("AuthHttpClient.fetch() rejects with its signal's reason", async () => {
  const controller = new AbortController();
  const web = webOf(
    (_url, { signal }) => aborted(signal ?? controller.signal),
    controller.signal,
  );
  const given = assertRejects(() => web.fetch("https://login.example/x"), DOMException, "enough");
  controller.abort(new DOMException("enough", "AbortError"));
  await given;
});

Deno.test("AuthHttpClient.fetch() limits the size of a response", async () => {
  const answers = new Map([["/short", "x".repeat(100)], ["/long", "x".repeat(101)]]);
  const web = webOf((url) => Promise.resolve(new Response(answers.get(new URL(url).pathname))));
  assertEquals((await (await web.fetch("https://login.example/short")).text()).length, 100);
  await assertRejects(
    () => web.fetch("https://login.example/long"),
    McpError,
    "longer than 100 bytes",
  );
});

function redirecting(to: string): HttpFetch {
  return (url) =>
    Promise.resolve(
      url.endsWith("/start")
        ? new Response(null, { status: 302, headers: { location: to } })
        : Response.json({ url }),
    );
}

Deno.test("AuthHttpClient.fetch() follows only same-origin redirects of GET requests", async () => {
  const stays = webOf(redirecting("/end"));
  const start = new URL("https://login.example/start");
  assertEquals(await stays.findJson([start]), {
    place: start,
    json: { url: "https://login.example/end" },
  });
  const wrong = 'redirect from "https://login.example" is not allowed';
  await assertRejects(
    () => stays.fetch("https://login.example/start", { method: "POST" }),
    McpError,
    wrong,
  );
  for (const to of ["https://evil.example/end", "http://login.example/end", "https://[", "start"]) {
    const web = webOf(redirecting(to));
    await assertRejects(() => web.fetch("https://login.example/start"), McpError, wrong);
  }
});

Deno.test("AuthHttpClient.fetch() reports the origin and the cause of a failed request", async () => {
  const cause = new TypeError("connection refused");
  const web = webOf(() => Promise.reject(cause));
  const error = await assertRejects(() => web.fetch("https://login.example/a?b"), McpError);
  assertEquals(error.details, { reason: 'request to "https://login.example" failed' });
  assertEquals(error.cause, cause);
});

Deno.test("findJson() returns the first JSON object from a 200 response", async () => {
  const answers: Record<string, Response> = {
    "/object": Response.json({ a: 1 }),
    "/list": Response.json([1]),
    "/text": new Response("no JSON"),
    "/missing": Response.json({ a: 1 }, { status: 404 }),
    "/empty": new Response(null, { status: 204 }),
  };
  const web = webOf((url) =>
    Promise.resolve(answers[new URL(url).pathname]?.clone() ?? new Response())
  );
  const get = (...paths: readonly string[]) =>
    web.findJson(paths.map((path) => new URL(path, "https://login.example")));
  assertEquals((await get("/object"))?.json, { a: 1 });
  const others = ["/list", "/text", "/missing", "/empty"];
  for (const path of others) assertEquals(await get(path), undefined);
  const found = await get(...others, "/object", "/object?2");
  assertEquals(found?.place.href, "https://login.example/object");
  assertEquals(await get(), undefined);
});

Deno.test("AuthHttpClient.fetch() waits no longer than the longest delay of a timer", async () => {
  using timers = stub(globalThis, "setTimeout", () => JSON.parse("0"));
  const { signal } = new AbortController();
  const fetch = () => Promise.resolve(new Response("{}"));
  for (const requestTimeoutMs of [5, 2 ** 31, Infinity]) {
    await new AuthHttpClient({ fetch, ...LIMITS, requestTimeoutMs }, signal)
      .fetch("https://login.example/x");
  }
  assertEquals(timers.calls.map(({ args }) => args[1]), [5, 2 ** 31 - 1, 2 ** 31 - 1]);
});
