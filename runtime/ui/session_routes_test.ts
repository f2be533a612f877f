import {
  assertEquals,
  assertMatch,
  assertStrictEquals,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { abortable } from "@parley/internal/abortable";
import { ToolLoopAgent } from "../agent/agent.ts";
import { memoryStorage } from "../session/memory_storage.ts";
import { openSessions } from "../session/open_sessions.ts";
import type { Sessions } from "../session/sessions.ts";
import type { SessionsOptions } from "../session/sessions_options.ts";
import type { SessionStorage } from "../session/storage.ts";
import type { AssistantMessage } from "../shared/model.ts";
import { createGate, type Gate } from "../testing/gate.ts";
import { scriptedModel } from "../testing/scripted_model.ts";
import { agUiHandler } from "./ag_ui.ts";
import { uiChatHandler } from "./ai_sdk.ts";
import { createSessionRoutes, type SessionRoutesOptions } from "./session_routes.ts";

/** A front-end protocol that uses the routes. */
interface Protocol {
  readonly name: string;
  readonly create: (sessions: Sessions, options: object) => (request: Request) => Promise<Response>;
  /** Returns the body of a message. */
  readonly body: (id: string, text: string) => object;
  /** Returns the body of a request that approves a tool call. */
  readonly decide: (id: string, key: string) => object;
}

/** The option objects are not typed, because the tests also pass invalid options. */
const PROTOCOLS: readonly Protocol[] = [
  {
    name: "uiChatHandler()",
    create: (sessions, options) => uiChatHandler(sessions, options as SessionRoutesOptions),
    body: (id, text) => ({
      id,
      messages: [{ id: `m ${text}`, role: "user", parts: [{ type: "text", text }] }],
    }),
    decide: (id, key) => {
      const approval = { id: key, approved: true };
      const part = { type: "tool-pay", toolCallId: "c1", state: "approval-responded", approval };
      return { id, messages: [{ id: "a", role: "assistant", parts: [part] }] };
    },
  },
  {
    name: "agUiHandler()",
    create: (sessions, options) => agUiHandler(sessions, options as SessionRoutesOptions),
    body: (threadId, text) => ({
      threadId,
      runId: "r",
      messages: [{ id: `m ${text}`, role: "user", content: text }],
    }),
    decide: (threadId, key) => ({
      threadId,
      runId: "r",
      messages: [],
      resume: [{ interruptId: key, status: "resolved", payload: { approved: true } }],
    }),
  },
];

/** Sessions whose agent answers "One two", and waits at the gate before "two". */
function open(gate: Gate, options: Partial<SessionsOptions> = {}): Sessions {
  return openSessions({
    storage: memoryStorage(),
    flushMs: 0,
    drainMs: 0,
    onError: () => {},
    agent: () =>
      new ToolLoopAgent({
        name: "clerk",
        model: {
          modelId: "gated",
          generate: () => Promise.reject(new Error("The model is streamed")),
          async *stream({ signal }) {
            yield { type: "text-delta", delta: "One " };
            await abortable(gate.wait(), signal);
            yield { type: "text-delta", delta: "two" };
            const content: AssistantMessage["content"] = [{ type: "text", text: "One two" }];
            const message = { role: "assistant", content } as const;
            yield { type: "finish", response: { message, finishReason: "stop" } };
          },
        },
      }),
    ...options,
  });
}

/** A handler and what it reports. */
interface Server extends AsyncDisposable {
  readonly sessions: Sessions;
  readonly errors: readonly unknown[];
  /** Requests that `authorize` has received. */
  readonly asked: readonly string[];
  readonly handle: (request: Request) => Promise<Response>;
  /** Sends a message. */
  readonly send: (id: string, text: string) => Promise<Response>;
  readonly get: (path: string) => Promise<Response>;
}

function serve(
  { body, create }: Protocol,
  options: object = {},
  sessions: Sessions = open(released()),
): Server {
  const errors: unknown[] = [];
  const asked: string[] = [];
  const handle = create(sessions, {
    path: "/api/chat",
    authorize: ({ method, url }: Request, id: string) => {
      asked.push(`${method} ${new URL(url).pathname} ${id}`);
      return true;
    },
    onError: (error: unknown) => errors.push(error),
    ...options,
  });
  return {
    sessions,
    errors,
    asked,
    handle,
    send: (id, text) => handle(post(JSON.stringify(body(id, text)))),
    get: (path) => handle(new Request(`http://localhost${path}`)),
    [Symbol.asyncDispose]: () => sessions.close(),
  };
}

function released(): Gate {
  const gate = createGate();
  gate.release();
  return gate;
}

function post(
  body: BodyInit | null,
  { path = "/api/chat", type = "application/json" }: { path?: string; type?: string | null } = {},
): Request {
  const headers = new Headers();
  if (type !== null) headers.set("content-type", type);
  // Without a type, a string would get the type "text/plain".
  const content = type === null && typeof body === "string" ? new TextEncoder().encode(body) : body;
  return new Request(`http://localhost${path}`, { method: "POST", headers, body: content });
}

/** Returns the text that the events of a stream contain. */
function answerOf(stream: string): string {
  return [...stream.matchAll(/"delta":"([^"]*)"/g)].map(([, text]) => text).join("");
}

async function read(response: Response): Promise<unknown> {
  return [response.status, await response.json()];
}

function each(name: string, body: (protocol: Protocol) => Promise<void>): void {
  for (const protocol of PROTOCOLS) Deno.test(`${protocol.name} ${name}`, () => body(protocol));
}

each("streams a message, describes the session, replays it and stops it", async (protocol) => {
  const gate = createGate();
  await using server = serve(protocol, {}, open(gate));
  const sent = await server.send("chat", "Count");
  assertEquals([sent.status, sent.headers.get("content-type")], [200, "text/event-stream"]);
  const described = await server.get("/api/chat/chat");
  assertEquals(described.headers.get("cache-control"), "no-store");
  const { messages, ...state } = await described.json();
  assertEquals(state, { status: "running", runId: "chat/0" });
  assertEquals([messages.length, messages[0].role], [1, "user"]);
  const stream = await server.get("/api/chat/chat/stream");
  gate.release();
  for (const response of [sent, stream]) {
    assertEquals(answerOf(await response.text()), "One two");
  }
  const stop = await server.handle(post(null, { path: "/api/chat/chat/stop", type: null }));
  assertEquals(await read(stop), [200, { outcome: "not_running" }]);
  assertEquals(server.asked, [
    "POST /api/chat chat",
    "GET /api/chat/chat chat",
    "GET /api/chat/chat/stream chat",
    "POST /api/chat/chat/stop chat",
  ]);
  assertEquals(server.errors, []);
});

each("stops a run, and keeps the text", async (protocol) => {
  await using server = serve(protocol, {}, open(createGate()));
  const sent = (await server.send("chat", "Count")).text();
  for await (const { event } of await server.sessions.attach("chat") ?? []) {
    if (event.type === "text_delta") break;
  }
  const stop = await server.handle(post(null, { path: "/api/chat/chat/stop", type: null }));
  assertEquals(await read(stop), [200, { outcome: "stopped" }]);
  assertEquals(answerOf(await sent), "One ");
  assertMatch(await (await server.get("/api/chat/chat")).text(), /"One "/);
});

each("rejects bodies that are not valid with status 400", async (protocol) => {
  await using server = serve(protocol);
  const valid = protocol.body("chat", "Hi");
  const bodies: readonly [string | null, RegExp][] = [
    [null, /^the body is not JSON$/],
    ["", /^the body is not JSON$/],
    ["{", /^the body is not JSON$/],
    ["[]", /^"body" must be an object/],
    ["null", /^"body" must be an object, got null$/],
    [JSON.stringify({ ...valid, messages: 1 }), /^"messages" must be a/],
    [JSON.stringify({ ...valid, messages: [] }), /^"messages" must be a/],
    [JSON.stringify(protocol.body("", "Hi")), /must be a non-empty string/],
    [JSON.stringify(protocol.body("\ud800", "Hi")), /must be a string without lone surrogates/],
    [JSON.stringify(protocol.body(".", "Hi")), /^the session id is not valid$/],
    [JSON.stringify(protocol.body("..", "Hi")), /^the session id is not valid$/],
    [JSON.stringify(protocol.body("chat", "\ud800")), /lone surrogates/],
  ];
  for (const [body, text] of bodies) {
    const response = await server.handle(post(body));
    const { code, message } = await response.json();
    assertEquals([response.status, code], [400, "invalid_request"], String(body));
    assertMatch(message, text);
  }
  assertEquals([server.asked, server.errors], [[], []]);
});

each("rejects session ids that are not valid with status 400", async (protocol) => {
  await using server = serve(protocol);
  for (const id of ["%", "%zz", "%ed%a0%80", "%ff", "a".repeat(4097)]) {
    const response = await server.get(`/api/chat/${id}`);
    assertEquals(await read(response), [
      400,
      { code: "invalid_request", message: "the session id is not valid" },
    ]);
  }
  assertEquals([server.asked, server.errors], [[], []]);
});

each("accepts session ids with slashes, percent signs and any characters", async (protocol) => {
  for (const id of ["a/b", "100%", "%2F", "ä ö/日本", "stream", "a?b#c", "a\\b", "__proto__"]) {
    await using server = serve(protocol);
    await (await server.send(id, "Hi")).text();
    const path = `/api/chat/${encodeURIComponent(id)}`;
    const { messages } = await (await server.get(path)).json();
    assertEquals(messages.length, 2, id);
    const stream = await server.get(`${path}/stream`);
    assertEquals(answerOf(await stream.text()), "One two");
    const stop = await server.handle(post(null, { path: `${path}/stop`, type: null }));
    assertEquals(await read(stop), [200, { outcome: "not_running" }]);
    assertEquals(server.asked.map((text) => text.endsWith(` ${id}`)), [true, true, true, true]);
    assertEquals((await server.sessions.list()).map(({ sessionId }) => sessionId), [id]);
  }
});

const REFUSALS: readonly (readonly [string, () => unknown, RegExp | undefined])[] = [
  ["false", () => false, undefined],
  ["undefined", () => undefined, undefined],
  ['"true"', () => "true", undefined],
  ["1", () => 1, undefined],
  ["an object", () => ({ valueOf: () => true }), undefined],
  ["a promise of false", () => Promise.resolve(false), undefined],
  ["a promise of undefined", () => Promise.resolve(), undefined],
  ['a promise of "true"', () => Promise.resolve("true"), undefined],
  ["a promise of 1", () => Promise.resolve(1), undefined],
  ["a function that throws", () => {
    throw new Error("no database");
  }, /no database/],
  ["a function that rejects", () => Promise.reject(new Error("no database")), /no database/],
  ["a function that never settles", () => new Promise(() => {}), /did not respond within 20 ms/],
];

for (const [result, authorize, error] of REFUSALS) {
  each(`rejects every request with status 403 if authorize returns ${result}`, async (protocol) => {
    await using server = serve(protocol, { authorize, authorizeTimeoutMs: 20 });
    const responses = [
      await server.send("chat", "Hi"),
      await server.get("/api/chat/chat"),
      await server.get("/api/chat/chat/stream"),
      await server.handle(post(null, { path: "/api/chat/chat/stop", type: null })),
    ];
    for (const response of responses) {
      assertEquals(await read(response), [403, { code: "forbidden" }]);
    }
    assertEquals(server.errors.length, error === undefined ? 0 : 4);
    for (const each of server.errors) if (error !== undefined) assertMatch(String(each), error);
    assertEquals(await server.sessions.list(), []);
  });
}

each("does not read the signal of a request", async (protocol) => {
  // `Deno.serve` prints a warning for each program that reads it.
  const gate = released();
  await using server = serve(protocol, { authorize: async () => (await gate.wait(), true) });
  const request = new Request("http://localhost/api/chat/chat");
  let isRead = false;
  Object.defineProperty(request, "signal", { get: () => isRead = true });
  assertEquals([(await server.handle(request)).status, isRead], [200, false]);
});

each("accepts a promise of true", async (protocol) => {
  await using server = serve(protocol, { authorize: () => Promise.resolve(true) });
  assertEquals((await server.get("/api/chat/chat")).status, 200);
});

each("rejects other paths with status 404", async (protocol) => {
  await using server = serve(protocol);
  const paths = [
    "/",
    "/api",
    "/api/chat/",
    "/api/chats",
    "/api/chat//stream",
    "/api/chat/chat/",
    "/api/chat/chat/streams",
    "/api/chat/chat/stream/",
    "/api/chat/chat/stream/1",
    "/API/CHAT/chat",
    "/other/api/chat/chat",
  ];
  for (const path of paths) {
    assertEquals(await read(await server.get(path)), [404, { code: "not_found" }], path);
  }
  assertEquals(server.asked, []);
});

each("rejects other methods with status 405", async (protocol) => {
  await using server = serve(protocol);
  const routes: readonly (readonly [string, string, readonly string[]])[] = [
    ["/api/chat", "POST", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"]],
    ["/api/chat/chat", "GET", ["POST", "HEAD", "PUT", "DELETE", "OPTIONS"]],
    ["/api/chat/chat/stream", "GET", ["POST", "HEAD", "DELETE"]],
    ["/api/chat/chat/stop", "POST", ["GET", "HEAD", "DELETE"]],
  ];
  for (const [path, allow, methods] of routes) {
    for (const method of methods) {
      const response = await server.handle(new Request(`http://localhost${path}`, { method }));
      assertEquals(response.headers.get("allow"), allow);
      assertEquals(await read(response), [405, { code: "method_not_allowed" }]);
    }
  }
  assertEquals(server.asked, []);
});

each("rejects a second message during a run with status 409", async (protocol) => {
  await using server = serve(protocol, {}, open(createGate()));
  const first = await server.send("chat", "Count");
  const second = await server.send("chat", "Other");
  assertEquals(await read(second), [409, { code: "session_busy", runId: "chat/0" }]);
  assertEquals(server.errors, []);
  await first.body?.cancel();
});

each("rejects bodies and messages that are too large with status 413", async (protocol) => {
  const body = JSON.stringify(protocol.body("chat", "Hello"));
  const { byteLength } = new TextEncoder().encode(body);
  {
    await using server = serve(protocol, { maxBodyBytes: byteLength });
    const response = await server.handle(post(`${body} `));
    assertEquals(await read(response), [413, { code: "too_large", maxBytes: byteLength }]);
    // The limit counts bytes and not characters.
    const wide = JSON.stringify(protocol.body("chat", "Hellö"));
    assertEquals((await server.handle(post(wide))).status, 413);
    const accepted = await server.handle(post(body));
    assertEquals(accepted.status, 200);
    await accepted.text();
  }
  await using server = serve(protocol, { maxTextChars: 4 });
  assertEquals(await read(await server.send("chat", "Hello")), [
    413,
    { code: "too_large", message: '"message" must have at most 4 characters of text, got 5' },
  ]);
  const long = JSON.stringify(protocol.body("a".repeat(4097), "Hi"));
  assertEquals((await server.handle(post(long))).status, 413);
  const longId = JSON.stringify(protocol.body("chat", "Hi")).replace("m Hi", "m".repeat(4097));
  assertEquals((await server.handle(post(longId))).status, 413);
  assertEquals([server.asked, server.errors], [[], []]);
});

each("stops reading a body that is too large", async (protocol) => {
  await using server = serve(protocol, { maxBodyBytes: 1000 });
  let chunks = 0;
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      chunks++;
      controller.enqueue(new Uint8Array(400));
    },
    cancel: () => {
      isCancelled = true;
    },
  }, { highWaterMark: 0 });
  assertEquals((await server.handle(post(body))).status, 413);
  assertEquals([chunks, isCancelled], [3, true]);
});

each("rejects a body whose connection is lost with status 400", async (protocol) => {
  await using server = serve(protocol);
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new TypeError("connection lost")),
  });
  const response = await server.handle(post(body));
  const message = "the body cannot be read";
  assertEquals(await read(response), [400, { code: "invalid_request", message }]);
  assertEquals(server.errors, []);
});

Deno.test("createSessionRoutes() reads a message once, and passes it to the response", async () => {
  await using sessions = open(released());
  const messages: unknown[] = [];
  const options = { path: "/api/chat", authorize: () => true };
  const handle = createSessionRoutes("test", sessions, options, () => ({
    read: (body) => {
      const message = { sessionId: "chat", turn: "Hi", options: {}, body };
      messages.push(message);
      return message;
    },
    stream: ({ runId }, message) => {
      messages.push(message);
      return new Response(runId);
    },
    reconnect: () => new Response(),
    describe: () => ({}),
  }));
  assertEquals(await (await handle(post("[1]"))).text(), "chat/0");
  assertEquals(messages.length, 2);
  assertStrictEquals(messages[0], messages[1]);
});

each("rejects other content types with status 415", async (protocol) => {
  await using server = serve(protocol);
  const body = JSON.stringify(protocol.body("chat", "Hi"));
  const types = [
    null,
    "",
    "text/plain",
    "text/plain;charset=UTF-8",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "application/json, text/plain",
    "text/plain; application/json",
  ];
  for (const type of types) {
    const response = await server.handle(post(body, { type }));
    assertEquals(await read(response), [415, { code: "unsupported_media_type" }], String(type));
  }
  assertEquals(server.asked, []);
  for (const type of ["application/json;charset=utf-8", "Application/JSON ; charset=UTF-8; a=b"]) {
    const response = await server.handle(post(body, { type }));
    assertEquals(response.status, 200, type);
    await response.text();
  }
});

/** A storage whose log fails. */
function failingStorage(): SessionStorage {
  const storage = memoryStorage();
  const { log, records } = storage;
  return {
    records,
    log: new Proxy(log, {
      get: (target, name) =>
        name === "head"
          ? () => Promise.reject(new Error("password sk-123 is wrong"))
          : Reflect.get(target, name).bind(target),
    }),
    delete: (...args) => storage.delete(...args),
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
}

each("masks other errors with status 500, and reports them", async (protocol) => {
  await using server = serve(protocol, {}, open(released(), { storage: failingStorage() }));
  const responses = [
    await server.send("chat", "Hi"),
    await server.get("/api/chat/chat"),
    await server.get("/api/chat/chat/stream"),
    await server.handle(post(null, { path: "/api/chat/chat/stop", type: null })),
  ];
  for (const response of responses) {
    assertEquals(await read(response), [500, { code: "internal_error" }]);
  }
  assertEquals(server.errors.length, 4);
  for (const error of server.errors) assertStringIncludes(String(error), "sk-123");
});

each("handles an onError that throws", async (protocol) => {
  const printed: unknown[] = [];
  const print = console.error;
  console.error = (text: unknown) => printed.push(text);
  try {
    const onError = (): void => {
      throw new Error("no log");
    };
    const sessions = open(released(), { storage: failingStorage() });
    await using server = serve(protocol, { onError }, sessions);
    assertEquals((await server.send("chat", "Hi")).status, 500);
  } finally {
    console.error = print;
  }
  assertStringIncludes(String(printed[0]), "no log");
});

each(
  "rejects a message with status 503 if the process executes too many runs",
  async (protocol) => {
    await using server = serve(protocol, {}, open(createGate(), { maxRuns: 1 }));
    const first = await server.send("one", "Hi");
    const second = await server.send("two", "Hi");
    assertEquals(second.headers.get("retry-after"), "1");
    assertEquals(await read(second), [503, { code: "capacity_exceeded" }]);
    assertEquals(server.errors, []);
    await first.body?.cancel();
  },
);

each(
  "rejects readers with status 503 if there are too many, and starts no run",
  async (protocol) => {
    await using server = serve(protocol, {}, open(createGate(), { maxReaders: 1 }));
    const first = await server.send("one", "Hi");
    const refused = [await server.get("/api/chat/one/stream"), await server.send("two", "Hi")];
    for (const response of refused) {
      assertEquals(response.headers.get("retry-after"), "1");
      assertEquals(await read(response), [503, { code: "capacity_exceeded" }]);
    }
    assertEquals((await server.sessions.list()).map(({ sessionId }) => sessionId), ["one"]);
    // The body of the first response has not been read.
    await first.body?.cancel();
    const stream = await server.get("/api/chat/one/stream");
    assertEquals(stream.status, 200);
    await stream.body?.cancel();
    const next = await server.send("two", "Hi");
    assertEquals(next.status, 200);
    await next.body?.cancel();
    assertEquals(server.errors, []);
  },
);

each("rejects too many readers of one session, and not those of others", async (protocol) => {
  const gate = createGate();
  await using server = serve(protocol, {}, open(gate, { maxSessionReaders: 1 }));
  const first = await server.send("one", "Hi");
  assertEquals((await server.get("/api/chat/one/stream")).status, 503);
  const other = await server.send("two", "Hi");
  gate.release();
  for (const response of [first, other]) assertEquals(answerOf(await response.text()), "One two");
  const again = await server.get("/api/chat/one/stream");
  assertEquals(answerOf(await again.text()), "One two");
});

/** A request with a message of a user. */
function messageOf({ body }: Protocol, id: string, user?: string): Request {
  const request = post(JSON.stringify(body(id, "Hi")));
  if (user !== undefined) request.headers.set("x-user", user);
  return request;
}

each("limits the runs of each party", async (protocol) => {
  const party = ({ headers }: Request): string | undefined => headers.get("x-user") ?? undefined;
  const sessions = open(createGate(), { maxPartyRuns: 1 });
  await using server = serve(protocol, { party }, sessions);
  const statuses: unknown[] = [];
  for (
    const [id, user] of [["a", "ann"], ["b", "ann"], ["c", "bob"], ["d"], ["e"]] as const
  ) {
    const response = await server.handle(messageOf(protocol, id, user));
    statuses.push(response.status);
    await response.body?.cancel();
  }
  assertEquals(statuses, [200, 503, 200, 200, 200]);
});

const NO_PARTIES: readonly (readonly [string, () => unknown, RegExp])[] = [
  ["an empty string", () => "", /"party" must return undefined or a string of 1 to 256 characters/],
  ["a long string", () => "a".repeat(257), /"party" must return undefined or a string/],
  ["null", () => null, /"party" must return undefined or a string/],
  ["a number", () => 1, /"party" must return undefined or a string/],
  ["a promise of an object", () => Promise.resolve({}), /"party" must return undefined/],
  ["a function that throws", () => {
    throw new Error("no database");
  }, /no database/],
  ["a function that rejects", () => Promise.reject(new Error("no database")), /no database/],
  ["a function that never settles", () => new Promise(() => {}), /"party" did not respond within/],
];

for (const [result, party, error] of NO_PARTIES) {
  each(`rejects a message with status 403 if party returns ${result}`, async (protocol) => {
    await using server = serve(protocol, { party, authorizeTimeoutMs: 20 });
    assertEquals(await read(await server.send("chat", "Hi")), [403, { code: "forbidden" }]);
    assertEquals(server.errors.length, 1);
    assertMatch(String(server.errors[0]), error);
    assertEquals(await server.sessions.list(), []);
    // Other routes start no run.
    assertEquals((await server.get("/api/chat/chat")).status, 200);
  });
}

each("passes the metadata of a request to the agent, and stores it", async (protocol) => {
  const seen: unknown[] = [];
  const sessions = open(released(), {
    agent: (_, { metadata }) => {
      seen.push(metadata);
      return new ToolLoopAgent({ name: "a", model: scriptedModel([{ text: "Hello" }]) });
    },
  });
  const metadata = ({ headers }: Request) => ({ user: headers.get("x-user") });
  await using server = serve(protocol, { metadata }, sessions);
  const request = post(JSON.stringify(protocol.body("chat", "Hi")));
  request.headers.set("x-user", "ann");
  await (await server.handle(request)).text();
  assertEquals(seen, [{ user: "ann" }]);
  assertEquals((await sessions.runs()).map((run) => run.metadata), [{ user: "ann" }]);
});

const NO_METADATA: readonly (readonly [string, () => unknown, RegExp])[] = [
  ["null", () => null, /"metadata" must be a JSON object/],
  ["an array", () => [], /"metadata" must be a JSON object/],
  ["a date", () => ({ at: new Date(0) }), /"metadata" must be a JSON object/],
  ["a large object", () => ({ text: "a".repeat(70_000) }), /"metadata" must have at most 65536/],
  ["a function that throws", () => {
    throw new Error("no database");
  }, /no database/],
  ["a function that never settles", () => new Promise(() => {}), /"metadata" did not respond/],
];

for (const [result, metadata, error] of NO_METADATA) {
  each(`rejects a message with status 403 if metadata returns ${result}`, async (protocol) => {
    await using server = serve(protocol, { metadata, authorizeTimeoutMs: 20 });
    assertEquals(await read(await server.send("chat", "Hi")), [403, { code: "forbidden" }]);
    assertMatch(String(server.errors[0]), error);
    assertEquals(await server.sessions.list(), []);
  });
}

/** Headers of a request to stop a run, and the status and code of the response. */
const STOPS: readonly (readonly [Readonly<Record<string, string>>, number, string?])[] = [
  [{}, 200],
  [{ "sec-fetch-site": "same-origin" }, 200],
  [{ "sec-fetch-site": "none" }, 200],
  [{ origin: "http://localhost" }, 200],
  // A proxy has ended the encryption.
  [{ origin: "https://localhost" }, 200],
  [{ "content-type": "application/json" }, 200],
  [{ "content-type": "Application/JSON ; charset=utf-8" }, 200],
  [{ "content-type": "application/json", "sec-fetch-site": "same-origin" }, 200],
  [{ "content-type": "application/json", "sec-fetch-site": "same-site" }, 200],
  [{ "content-type": "application/json", origin: "https://app.example.com" }, 200],
  // Requests that a page of another origin can send without asking.
  [{ "sec-fetch-site": "cross-site" }, 403, "forbidden"],
  [{ "content-type": "text/plain", "sec-fetch-site": "cross-site" }, 403, "forbidden"],
  [{ "content-type": "application/json", "sec-fetch-site": "cross-site" }, 403, "forbidden"],
  [{ "sec-fetch-site": "same-site" }, 415, "unsupported_media_type"],
  [{ "sec-fetch-site": "other" }, 415, "unsupported_media_type"],
  [{ origin: "https://example.com" }, 415, "unsupported_media_type"],
  [{ origin: "http://localhost:8080" }, 415, "unsupported_media_type"],
  [{ origin: "null" }, 415, "unsupported_media_type"],
  ...[
    "",
    "text/plain",
    "text/plain;charset=UTF-8",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "application/json, text/plain",
    "text/plain; application/json",
  ].map((type) => [{ "content-type": type }, 415, "unsupported_media_type"] as const),
];

each("stops no run for a request that another site can send", async (protocol) => {
  for (const [headers, status, code] of STOPS) {
    await using server = serve(protocol, {}, open(createGate()));
    await (await server.send("chat", "Hi")).body?.cancel();
    const url = "http://localhost/api/chat/chat/stop";
    const response = await server.handle(new Request(url, { method: "POST", headers }));
    const expected = code === undefined ? { outcome: "stopped" } : { code };
    assertEquals(await read(response), [status, expected], JSON.stringify(headers));
    const { status: state } = await server.sessions.state("chat");
    assertEquals(state, code === undefined ? "idle" : "running");
    assertEquals(server.asked.length, code === undefined ? 2 : 1);
  }
});

each("starts no run for a message that another site can send", async (protocol) => {
  const cases: readonly (readonly [Readonly<Record<string, string>>, number])[] = [
    [{ "sec-fetch-site": "cross-site" }, 403],
    [{ "sec-fetch-site": "same-site" }, 200],
    [{ "sec-fetch-site": "same-origin" }, 200],
    // The browser has asked the server, because of the content type.
    [{ origin: "https://example.com" }, 200],
  ];
  for (const [headers, status] of cases) {
    await using server = serve(protocol);
    const request = messageOf(protocol, "chat");
    for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
    const response = await server.handle(request);
    assertEquals(response.status, status, JSON.stringify(headers));
    await response.text();
    assertEquals((await server.sessions.list()).length, status === 200 ? 1 : 0);
  }
});

each("rejects requests with status 503 while the process stops", async (protocol) => {
  const sessions = open(released());
  await using server = serve(protocol, {}, sessions);
  await sessions.close();
  for (
    const response of [await server.send("chat", "Hi"), await server.get("/api/chat/chat/stream")]
  ) {
    assertEquals(response.headers.get("retry-after"), "1");
    assertEquals(await read(response), [503, { code: "sessions_closed" }]);
  }
  assertEquals(server.errors, []);
});

each("rejects a decision that no run waits for with status 409", async (protocol) => {
  await using server = serve(protocol, {}, open(released()));
  const response = await server.handle(post(JSON.stringify(protocol.decide("chat", "k1"))));
  assertEquals(await read(response), [409, { code: "session_not_waiting" }]);
  assertEquals(server.errors, []);
});

each("sends comments while the run is silent", async (protocol) => {
  await using server = serve(protocol, { keepAliveMs: 5 }, open(createGate()));
  for (
    const response of [
      await server.send("chat", "Hi"),
      await server.get("/api/chat/chat/stream"),
    ]
  ) {
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!/One [^]*: keep-alive\n\n: keep-alive\n\n$/.test(text)) {
      text += (await reader?.read())?.value ?? "";
    }
    assertEquals(answerOf(text), "One ");
    await reader?.cancel();
  }
});

each("reports a body that the server has read before", async (protocol) => {
  await using server = serve(protocol);
  const request = post(JSON.stringify(protocol.body("chat", "Hi")));
  await request.text();
  assertEquals(await read(await server.handle(request)), [500, { code: "internal_error" }]);
  assertMatch(
    String(server.errors),
    /^TypeError: Cannot read the body of the request: it was read/,
  );
});

each("rejects options that are not valid", async (protocol) => {
  await using sessions = open(released());
  const valid = { path: "/api/chat", authorize: () => true };
  const cases: readonly (readonly [object, string])[] = [
    [{ authorize: () => true }, '"path" must be a non-empty string, got undefined'],
    [{ path: "/api/chat" }, '"authorize" must be a function, got undefined'],
    [{ ...valid, authorize: true }, '"authorize" must be a function, got true'],
    ...[
      "api/chat",
      "/",
      "/api/chat/",
      "/api/chat?x",
      "/chat#x",
      "//host/x",
      "/a b",
      "/ü",
      "/a/../b",
    ]
      .map((path) => [{ ...valid, path }, `"path" must be a path`] as const),
    [
      { ...valid, authorise: () => true },
      '"options" must have only known options, got "authorise"',
    ],
    [
      { ...valid, authorizeTimeoutMs: 0 },
      '"authorizeTimeoutMs" must be an integer from 1 to 2147483647, got 0',
    ],
    // A timer with a longer delay would expire immediately.
    [
      { ...valid, authorizeTimeoutMs: 2 ** 31 },
      '"authorizeTimeoutMs" must be an integer from 1 to 2147483647, got 2147483648',
    ],
    [
      { ...valid, keepAliveMs: Infinity },
      '"keepAliveMs" must be an integer from 1 to 2147483647, got Infinity',
    ],
    [{ ...valid, maxBodyBytes: 1.5 }, '"maxBodyBytes" must be a positive integer, got 1.5'],
    [
      { ...valid, keepAliveMs: "1" },
      '"keepAliveMs" must be an integer from 1 to 2147483647, got "1"',
    ],
    [{ ...valid, maxTextChars: -1 }, '"maxTextChars" must be a positive integer, got -1'],
    [{ ...valid, party: "ann" }, '"party" must be a function, got "ann"'],
    [{ ...valid, onError: 1 }, '"onError" must be a function'],
    [{ ...valid, errorText: "no" }, '"errorText" must be a function'],
  ];
  for (const [options, text] of cases) {
    const error = assertThrows(() => protocol.create(sessions, options));
    assertStringIncludes(String(error), text);
  }
  const error = assertThrows(() => protocol.create({} as Sessions, valid), TypeError);
  assertStringIncludes(
    error.message,
    '"sessions" must be the Sessions that openSessions() returns',
  );
});
