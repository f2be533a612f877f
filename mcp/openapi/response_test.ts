import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { type HttpFetch, McpError, type OpenApiHeaders, type OpenApiOptions } from "../openapi.ts";
import type { CallToolResult } from "../protocol/tool.ts";
import { parameter, recorder, singleTool, textOf } from "../testdata/openapi.ts";

const OPERATION = { parameters: [parameter("per_page", "query"), parameter("X-Page", "header")] };

/** Calls a tool whose server sends a response. */
async function resultOf(
  response: Response,
  options: Partial<OpenApiOptions> = {},
  operation: object = {},
): Promise<CallToolResult> {
  const { fetch } = recorder(() => response);
  return await singleTool({ operation }, { fetch, ...options }).callTool("op", {});
}

function typed(body: BodyInit | null, type: string, status = 200): Response {
  return new Response(body, { status, headers: { "content-type": type } });
}

/** Responses, and the texts of the results. */
const TEXTS: readonly [Response, string][] = [
  [Response.json([1, 2]), "[1,2]"],
  [typed("{", "application/json"), "{"],
  [typed("hello", "text/plain"), "hello"],
  [typed("<a/>", "application/xml"), "<a/>"],
  [typed('{"a":1e400}', "application/json"), '{"a":1e400}'],
  [typed(new Uint8Array([0xe9]), "text/plain; charset=iso-8859-1"), "é"],
  [typed(new Uint8Array([0xc3, 0xa9]), "text/plain; charset=unknown"), "é"],
  [new Response(new TextEncoder().encode("no type")), "no type"],
  [new Response(new Uint8Array([0xff, 0xfe, 0xff])), '3 bytes of type ""'],
  [typed(new Uint8Array(5), "application/pdf"), '5 bytes of type "application/pdf"'],
  [typed("<svg/>", "image/bmp"), '6 bytes of type "image/bmp"'],
  [new Response(null, { status: 204 }), "HTTP 204, no content"],
  [typed("", "application/json", 201), "HTTP 201, no content"],
];

Deno.test("a response becomes text", async () => {
  for (const [response, text] of TEXTS) {
    assertEquals(await resultOf(response), { content: [{ type: "text", text }] });
  }
});

Deno.test("a JSON object is also structured content", async () => {
  const text = '{"a": [1]}';
  for (const type of ["application/json", "application/problem+json; charset=utf-8"]) {
    assertEquals(await resultOf(typed(text, type)), {
      content: [{ type: "text", text }],
      structuredContent: { a: [1] },
    });
  }
  const deep = `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`;
  const result = await resultOf(typed(deep, "application/json"));
  assertEquals([textOf(result), result.structuredContent], [deep, undefined]);
});

/** Content types of images, the bytes with which they start, and the bytes in base64. */
const IMAGES: readonly [string, Uint8Array<ArrayBuffer>, string][] = [
  ["image/png", new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10]), "iVBORw0KGgo="],
  ["image/jpeg", new Uint8Array([0xff, 0xd8, 0xff, 0xe0]), "/9j/4A=="],
  ["image/gif", new TextEncoder().encode("GIF89a"), "R0lGODlh"],
  ["image/gif", new TextEncoder().encode("GIF87a"), "R0lGODdh"],
  ["image/webp", new TextEncoder().encode("RIFF....WEBP"), "UklGRi4uLi5XRUJQ"],
];

Deno.test("an image becomes an image", async () => {
  for (const [type, bytes, data] of IMAGES) {
    assertEquals(await resultOf(typed(bytes, `${type.toUpperCase()}; a=b`)), {
      content: [{ type: "image", mimeType: type, data }],
    });
  }
});

Deno.test("a response that is not an image of its type does not become an image", async () => {
  const headers = () => ({ authorization: "Bearer planted-token" });
  for (const [type, bytes] of IMAGES) {
    const [other] = IMAGES.filter((image) => image[0] !== type);
    for (const wrong of ["Bearer planted-token", bytes.slice(1), other?.[1] ?? ""]) {
      const result = await resultOf(typed(wrong, type), { headers });
      assertEquals(textOf(result), `${wrong.length} bytes of type "${type}"`);
    }
  }
});

Deno.test("an error status becomes an error with the start of the response", async () => {
  const rows: readonly [Response, string][] = [
    [Response.json({ message: "no" }, { status: 404 }), 'HTTP 404: {"message":"no"}'],
    [new Response(null, { status: 500 }), "HTTP 500"],
    [new Response(null, { status: 304 }), "HTTP 304"],
    [typed("a".repeat(5000), "text/html", 502), `HTTP 502: ${"a".repeat(4000)}…`],
    [typed(new Uint8Array(3), "image/png", 403), 'HTTP 403: 3 bytes of type "image/png"'],
  ];
  for (const [response, text] of rows) {
    assertEquals(await resultOf(response), { content: [{ type: "text", text }], isError: true });
  }
});

Deno.test("a redirect is an error and is not followed", async () => {
  const location = "http://169.254.169.254/latest";
  for (const status of [301, 302, 303, 307, 308]) {
    const { fetch, requests } = recorder(() =>
      new Response("secret", { status, headers: { location } })
    );
    const result = await singleTool({ operation: {} }, { fetch }).callTool("op", {});
    assertEquals(result, {
      content: [{
        type: "text",
        text: `HTTP ${status}: The server sent a redirect, which is not followed.`,
      }],
      isError: true,
    });
    assertEquals(requests.length, 1);
  }
});

Deno.test("the response of a fetch that has followed a redirect is not used", async () => {
  const response = Response.json({ secret: 1 });
  Object.defineProperty(response, "redirected", { value: true });
  const result = await resultOf(response);
  assertEquals([result.isError, result.structuredContent], [true, undefined]);
  const opaque = new Response(null);
  Object.defineProperty(opaque, "type", { value: "opaqueredirect" });
  Object.defineProperty(opaque, "status", { value: 0 });
  assertEquals(
    textOf(await resultOf(opaque)),
    "The server sent a redirect, which is not followed.",
  );
});

Deno.test("a redirect of a server is not followed", async () => {
  const paths: string[] = [];
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const { pathname } = new URL(request.url);
    paths.push(pathname);
    return Response.redirect(new URL("/elsewhere", request.url), 307);
  });
  const baseUrl = `http://127.0.0.1:${server.addr.port}/v1`;
  const api = singleTool({ method: "post", operation: {} }, { baseUrl });
  assertEquals((await api.callTool("op", {})).isError, true);
  assertEquals(paths, ["/v1/x"]);
});

/** Returns a response whose body ends only when it is cancelled. */
function endless(chunk: Uint8Array, onCancel: () => void): Response {
  return new Response(
    new ReadableStream({
      pull: (controller) => controller.enqueue(chunk),
      cancel: onCancel,
    }),
    { headers: { "content-type": "text/plain" } },
  );
}

Deno.test("the size of a response is limited in bytes", async () => {
  let cancelled = 0;
  const response = endless(new Uint8Array(10), () => cancelled++);
  const result = await resultOf(response, { maxResponseBytes: 100 }, OPERATION);
  assertEquals(result, {
    content: [{
      type: "text",
      text: 'The response has more than 100 bytes. Request less data with "per_page".',
    }],
    isError: true,
  });
  assertEquals(cancelled, 1);
  const exact = await resultOf(typed("é".repeat(50), "text/plain"), { maxResponseBytes: 100 });
  assertEquals(exact.isError, undefined);
});

Deno.test("the text of a result is limited in characters", async () => {
  const options = { maxResultChars: 50 };
  const result = await resultOf(typed("é".repeat(51), "text/plain"), options);
  assertEquals(result.isError, true);
  assertEquals(
    textOf(result),
    "The response has 51 characters, more than 50. Request less data, for example a single item.",
  );
  const exact = await resultOf(typed("é".repeat(50), "text/plain"), options);
  assertEquals(exact.isError, undefined);
});

Deno.test("a response that is too long to be searched for credentials is too long", async () => {
  const response = typed("a".repeat(300_000), "text/plain");
  const headers = (): OpenApiHeaders => ({ authorization: "Bearer 0123456789abcdef" });
  const result = await resultOf(response, { headers });
  assertEquals([result.isError, textOf(result)], [
    true,
    "The response has 300000 characters, more than 100000. Request less data, for example a single item.",
  ]);
  const long = typed("a".repeat(300_000), "text/plain");
  const withheld = await resultOf(long, { headers, maxResultChars: 400_000 });
  assertEquals(textOf(withheld), "[text that is too long to be searched for secrets]");
});

/** A `fetch` that never responds, and counts its calls. */
function silent(): { readonly fetch: HttpFetch; readonly signals: (AbortSignal | undefined)[] } {
  const signals: (AbortSignal | undefined)[] = [];
  return {
    signals,
    fetch: (_url, { signal }) => {
      signals.push(signal ?? undefined);
      return new Promise(() => {});
    },
  };
}

Deno.test("a call ends after timeoutMs, and the request is not repeated", async () => {
  using time = new FakeTime();
  const { fetch, signals } = silent();
  const api = singleTool({ method: "post", operation: {} }, { fetch, timeoutMs: 1000 });
  const rejected = assertRejects(() => api.callTool("op", {}), McpError);
  await time.tickAsync(1000);
  const error = await rejected;
  assertEquals([error.code, error.message], [
    "timeout",
    'Cannot complete "POST /x": timed out after 1000 ms ("timeoutMs")',
  ]);
  assertEquals(signals.map((signal) => signal?.aborted), [true]);
});

Deno.test("timeoutMs includes headers() and the body", async () => {
  using time = new FakeTime();
  const stuck: readonly Partial<OpenApiOptions>[] = [
    { headers: () => new Promise(() => {}) },
    { fetch: () => Promise.resolve(new Response(new ReadableStream({}))) },
  ];
  for (const options of stuck) {
    const { fetch } = recorder();
    const api = singleTool({ operation: {} }, { fetch, timeoutMs: 1000, ...options });
    const rejected = assertRejects(() => api.callTool("op", {}), McpError);
    await time.tickAsync(1000);
    assertEquals((await rejected).code, "timeout");
  }
});

Deno.test("a call rejects with the reason of its signal", async () => {
  const reason = new Error("the user has left");
  const before = recorder();
  const aborted = singleTool({ operation: {} }, { fetch: before.fetch });
  const signal = AbortSignal.abort(reason);
  assertEquals(await assertRejects(() => aborted.callTool("op", {}, { signal })), reason);
  assertEquals(before.requests, []);

  const controller = new AbortController();
  const { fetch, signals } = silent();
  const waiting = singleTool({ operation: {} }, {
    fetch: (url, init) => {
      const response = fetch(url, init);
      controller.abort(reason);
      return response;
    },
  });
  const call = waiting.callTool("op", {}, { signal: controller.signal });
  assertEquals(await assertRejects(() => call), reason);
  assertEquals(signals.map((signal) => signal?.reason), [reason]);
});

Deno.test("no request is sent if the signal aborts during headers()", async () => {
  const reason = new Error("stop");
  const controller = new AbortController();
  const { fetch, requests } = recorder();
  const api = singleTool({ operation: {} }, {
    fetch,
    headers: () => {
      controller.abort(reason);
      return {};
    },
  });
  const { signal } = controller;
  assertEquals(await assertRejects(() => api.callTool("op", {}, { signal })), reason);
  assertEquals(requests, []);
});

Deno.test("a failed request is sent once, and its error states whether it may have an effect", async () => {
  const rows: readonly [string, RegExp][] = [
    ["get", /the request failed$/],
    ["post", /the request failed, and the server may have processed it$/],
  ];
  for (const [method, message] of rows) {
    let count = 0;
    const fetch = (): Promise<Response> => {
      count++;
      return Promise.reject(new TypeError("connection reset"));
    };
    const api = singleTool({ method, operation: {} }, { fetch });
    const error = await assertRejects(() => api.callTool("op", {}), McpError);
    assertEquals([error.code, count], ["connection_failed", 1]);
    assertMatch(error.message, message);
  }
});
