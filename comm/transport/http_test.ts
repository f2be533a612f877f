import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { stub } from "@std/testing/mock";
import { FakeTime } from "@std/testing/time";
import { httpEndpoint, type HttpEndpointOptions } from "../http.ts";
import { AgentCommMessage } from "../message/message.ts";
import type { AgentCommMessageInit } from "../message/message_members.ts";
import { formatMessage } from "../message/message_json.ts";
import { createPeer } from "../requests.ts";
import { CommError } from "../shared/error.ts";
import { signMessage } from "../signing/signing.ts";
import { ANN, BOB, PROTOCOL, verifierOf } from "../testdata/peers.ts";

function create(init: Partial<AgentCommMessageInit> = {}): AgentCommMessage {
  return new AgentCommMessage({
    sender: ANN.did,
    recipient: BOB.did,
    protocol: PROTOCOL,
    messageType: "request",
    payload: null,
    ...init,
  });
}

function toRequest(body: BodyInit | null, init: RequestInit = {}): Request {
  return new Request("https://bob.example/", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
    ...init,
  });
}

const BOB_URL = new URL("https://bob.example/messages");

/** An endpoint that sends its requests to a function. */
function withFetch(
  respond: (request: Request) => Response | Promise<Response>,
  options: Partial<HttpEndpointOptions> = {},
) {
  return httpEndpoint({
    urlOf: () => BOB_URL,
    fetch: (input, init) => Promise.resolve(respond(new Request(input, init))),
    ...options,
  });
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  return (await assertRejects(() => work, CommError)).code;
}

Deno.test("send() posts one message as JSON to the URL of the recipient", async () => {
  const bob = httpEndpoint({ urlOf: () => undefined });
  const requests: string[] = [];
  const ann = withFetch((request) => {
    requests.push(`${request.method} ${request.url} ${request.headers.get("content-type")}`);
    assertEquals(request.redirect, "manual");
    return bob.handler(request);
  });
  const message = create({ payload: { n: 1 } });
  await ann.transport.send(message);
  assertEquals(requests, ["POST https://bob.example/messages application/json"]);
  assert((await bob.transport.receive())?.equals(message));
  await ann.transport.close();
  await bob.transport.close();
});

Deno.test("handler() rejects invalid requests with the status of the reason", async () => {
  const { handler, transport } = httpEndpoint({ urlOf: () => undefined, maxBodyBytes: 1000 });
  const valid = formatMessage(create());
  const streamed = new Response(" ".repeat(2000)).body;
  const table: [number, Request][] = [
    [405, new Request("https://bob.example/")],
    [415, toRequest(valid, { headers: { "content-type": "text/plain" } })],
    [415, toRequest(valid, { headers: { "content-type": "application/jsonp" } })],
    [400, toRequest("{}")],
    [400, toRequest("")],
    [400, toRequest(null)],
    [400, toRequest(`${valid}\n${valid}`)],
    [400, toRequest(Uint8Array.of(0xff))],
    [413, toRequest(" ".repeat(1001))],
    [413, toRequest(streamed)],
    [
      413,
      toRequest(valid, {
        headers: { "content-type": "application/json", "content-length": "1001" },
      }),
    ],
    [202, toRequest(valid, { headers: { "content-type": "Application/JSON; charset=utf-8" } })],
  ];
  for (const [status, request] of table) {
    const response = await handler(request);
    assertEquals([response.status, await response.text() === ""], [status, status === 202]);
  }
  await transport.close();
  assertEquals((await handler(toRequest(valid))).status, 503);
});

Deno.test("handler() returns 503 if the queue is full, in messages or in bytes", async () => {
  for (const limit of [{ capacity: 1 }, { maxQueuedBytes: 100 }]) {
    const { handler, transport } = httpEndpoint({ urlOf: () => undefined, ...limit });
    assertEquals((await handler(toRequest(formatMessage(create())))).status, 202);
    const response = await handler(toRequest(formatMessage(create())));
    assertEquals([response.status, response.headers.get("retry-after")], [503, "1"]);
    await transport.receive();
    assertEquals((await handler(toRequest(formatMessage(create())))).status, 202);
    await transport.close();
  }
});

Deno.test("handler() returns 408 if the body does not arrive in time", async () => {
  using time = new FakeTime();
  const { handler, transport } = httpEndpoint({ urlOf: () => undefined, timeoutMs: 1000 });
  const answer = handler(toRequest(new ReadableStream()));
  await time.tickAsync(1000);
  assertEquals((await answer).status, 408);
  await transport.close();
});

Deno.test("handler() drops the oldest of too many bodies that are being received", async () => {
  const valid = formatMessage(create());
  const byBytes = { maxQueuedBytes: 1000, maxBodyBytes: 4000 };
  for (const [limit, sent] of [[{ capacity: 1 }, 1], [byBytes, 950]] as const) {
    const { handler, transport } = httpEndpoint({ urlOf: () => undefined, ...limit });
    const controllers: ReadableStreamDefaultController<Uint8Array>[] = [];
    const answers = Array.from({ length: 9 }, () => {
      const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        controllers.push(controller);
        controller.enqueue(new Uint8Array(sent).fill(32));
      };
      return handler(toRequest(new ReadableStream({ start })));
    });
    assertEquals((await answers[0])?.status, 503);
    assertEquals((await handler(toRequest(valid))).status, 202);
    await transport.receive();
    controllers[8]?.enqueue(new TextEncoder().encode(valid));
    controllers[8]?.close();
    assertEquals((await answers[8])?.status, 202);
    await transport.close();
    await Promise.all(answers);
  }
});

Deno.test("send() rejects if the recipient has no URL, or its server fails", async () => {
  const none = httpEndpoint({ urlOf: () => undefined });
  assertEquals(await codeOf(none.transport.send(create())), "send_failed");
  for (const status of [302, 400, 413, 500, 503]) {
    const headers = { location: "http://169.254.169.254/" };
    const { transport } = withFetch(() => new Response(null, { status, headers }));
    assertEquals(await codeOf(transport.send(create())), "send_failed");
  }
  const broken = withFetch(() => Promise.reject(new TypeError("connection refused")));
  assertEquals(await codeOf(broken.transport.send(create())), "send_failed");
  const refused = new Error("connect ECONNREFUSED 127.0.0.1:9 (https://bob.example/in?key=secret)");
  const unreachable = withFetch(
    () => Promise.reject(new TypeError("fetch failed", { cause: refused })),
    {
      urlOf: () => new URL("https://bob.example/in?key=secret"),
    },
  );
  const error = await assertRejects(() => unreachable.transport.send(create()), CommError);
  assertEquals(
    error.message,
    'Cannot send message: HTTP request to "https://bob.example/in" failed: ' +
      "connect ECONNREFUSED 127.0.0.1:9 (https://bob.example/in)",
  );
  for (const url of ["https://bob.example", new URL("file:///etc/passwd")]) {
    const { transport } = withFetch(() => new Response(), { urlOf: () => url as URL });
    await assertRejects(() => transport.send(create()), TypeError, '"urlOf" must return');
  }
});

Deno.test("send() contacts no server if urlOf throws or rejects", async () => {
  const throwing = (): never => {
    throw new Error("no database");
  };
  let fetches = 0;
  for (const urlOf of [throwing, () => Promise.reject(new Error("no database"))]) {
    const { transport } = withFetch(() => {
      fetches++;
      return new Response();
    }, { urlOf });
    await assertRejects(() => transport.send(create()), Error, "no database");
  }
  assertEquals(fetches, 0);
});

Deno.test("send() rejects if it times out or is aborted, or if too many messages are being sent", async () => {
  using time = new FakeTime();
  const { transport } = withFetch(() => new Promise<Response>(() => {}), {
    timeoutMs: 1000,
    capacity: 4,
    maxQueuedBytes: 2000,
  });
  const slow = codeOf(transport.send(create()));
  const controller = new AbortController();
  const aborted = assertRejects(
    () => transport.send(create(), { signal: controller.signal }),
    Error,
    "enough",
  );
  assertEquals(await codeOf(transport.send(create())), "capacity_exceeded");
  controller.abort(new Error("enough"));
  await aborted;
  const large = create({ payload: "x".repeat(800) });
  assert(formatMessage(large).length > 1000);
  assertEquals(await codeOf(transport.send(large)), "capacity_exceeded");
  await time.tickAsync(1000);
  assertEquals(await slow, "timeout");
  const unsent = codeOf(transport.send(create()));
  await transport.close();
  assertEquals(await unsent, "transport_closed");
  assertEquals(await codeOf(transport.send(create())), "transport_closed");
  assertEquals(await transport.receive(), undefined);
});

Deno.test("send() rejects with send_failed for any value that fetch rejects with", async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const values = [
    Object.create(null),
    proxy,
    Symbol("x"),
    undefined,
    null,
    Object.assign(new Error(), { message: 5 }),
    Object.assign(new Error("x"), { name: Object.create(null) }),
    Object.assign(new Error(), { name: Object.create(null) }),
    new Error("outer", { cause: Object.assign(new Error(), { message: Symbol("y") }) }),
  ];
  for (const value of values) {
    const { transport } = withFetch(() => Promise.reject(value));
    assertEquals(await codeOf(transport.send(create())), "send_failed");
    await transport.close();
  }
});

Deno.test("messages to one recipient are sent in order", async () => {
  const arrived: unknown[] = [];
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { transport } = withFetch(async (request) => {
    const { payload } = await request.json();
    await gates[payload]?.promise;
    arrived.push(payload);
    return new Response(null, { status: 202 });
  });
  const sent = [0, 1].map((payload) => transport.send(create({ payload })));
  gates[1]?.resolve();
  gates[0]?.resolve();
  await Promise.all(sent);
  assertEquals(arrived, [0, 1]);
  await transport.close();
});

Deno.test("messages to one recipient are sent in order if urlOf resolves out of order", async () => {
  const urls = [Promise.withResolvers<URL>(), Promise.withResolvers<URL>()];
  const found = [...urls];
  const started: unknown[] = [];
  const { transport } = withFetch(async (request) => {
    started.push((await request.json()).payload);
    return new Response(null, { status: 202 });
  }, { urlOf: () => found.shift()?.promise });
  const sent = [0, 1].map((payload) => transport.send(create({ payload })));
  urls[1]?.resolve(BOB_URL);
  urls[0]?.resolve(BOB_URL);
  await Promise.all(sent);
  assertEquals(started, [0, 1]);
  await transport.close();
});

Deno.test("a message does not overtake the messages before an aborted message", async () => {
  using time = new FakeTime();
  const gate = Promise.withResolvers<void>();
  const started: unknown[] = [];
  const { transport } = httpEndpoint({
    urlOf: () => BOB_URL,
    fetch: async (_input, init) => {
      if (started.push(JSON.parse(String(init?.body)).payload) === 1) await gate.promise;
      return new Response(null, { status: 202 });
    },
  });
  const first = transport.send(create({ payload: 0 }));
  const controller = new AbortController();
  const aborted = assertRejects(
    () => transport.send(create({ payload: 1 }), { signal: controller.signal }),
    Error,
    "enough",
  );
  const third = transport.send(create({ payload: 2 }));
  await time.tickAsync(0);
  controller.abort(new Error("enough"));
  await aborted;
  await time.tickAsync(0);
  assertEquals(started, [0]);
  gate.resolve();
  await Promise.all([first, third]);
  assertEquals(started, [0, 2]);
  await transport.close();
});

Deno.test("a response holds the replies to its message until the last reply", async () => {
  const bob = httpEndpoint({ urlOf: () => undefined, replyWaitMs: 60_000 });
  const ann = withFetch((request) => bob.handler(request));
  const message = create();
  await ann.transport.send(message);
  const request = await bob.transport.receive();
  assert(request !== undefined);
  const other = create({ sender: BOB.did, recipient: ANN.did, correlationId: "other" });
  assertEquals(await codeOf(bob.transport.send(other)), "send_failed");
  for (const type of ["update", "update", "response"]) {
    await bob.transport.send(request.reply(type, null));
    assertEquals((await ann.transport.receive())?.messageType, type);
  }
  assertEquals(await codeOf(bob.transport.send(request.reply("response", 2))), "send_failed");
  await Promise.all([ann.transport.close(), bob.transport.close()]);
});

Deno.test("a response is held for a limited time, and only for the first copy of a request", async () => {
  using time = new FakeTime();
  const bob = httpEndpoint({
    urlOf: (did) => did === BOB.did ? BOB_URL : undefined,
    replyWaitMs: 1000,
    capacity: 20,
    onError: () => {},
  });
  async function isHeld(message: AgentCommMessage): Promise<boolean> {
    const response = await bob.handler(toRequest(formatMessage(message)));
    await bob.transport.receive();
    assertEquals(response.status, 202);
    return response.headers.get("content-type") === "application/x-ndjson";
  }
  const message = create();
  const response = await bob.handler(toRequest(formatMessage(message)));
  await bob.transport.receive();
  assertEquals(await isHeld(message), false, "the response to a copied message must not be held");
  assertEquals(
    await isHeld(create({ correlationId: "x" })),
    false,
    "the response to a reply must not be held",
  );
  assertEquals(
    await isHeld(create({ sender: BOB.did })),
    false,
    "the response to a sender with a URL must not be held",
  );
  assertEquals(await isHeld(create()), true);
  assertEquals(await isHeld(create()), false, "more responses than the share must not be held");
  await time.tickAsync(1000);
  assertEquals((await response.text()).trim(), "");
  assertEquals(await codeOf(bob.transport.send(message.reply("response", 1))), "send_failed");
  await bob.transport.close();
});

Deno.test("handler() calls urlOf only to hold responses, and for a limited time", async () => {
  using time = new FakeTime();
  const errors: string[] = [];
  let calls = 0;
  const open = (replyWaitMs: number) =>
    httpEndpoint({
      urlOf: () => {
        calls++;
        return new Promise(() => {});
      },
      replyWaitMs,
      timeoutMs: 1000,
      onError: (error) => errors.push(String(error)),
    });
  const message = create();
  const silent = open(0);
  assertEquals((await silent.handler(toRequest(formatMessage(message)))).status, 202);
  assertEquals(calls, 0);
  const held = open(60_000);
  const answer = held.handler(toRequest(formatMessage(message)));
  await time.tickAsync(1000);
  const response = await answer;
  assertEquals([response.status, response.headers.has("content-type")], [202, false]);
  assertEquals([calls, errors], [1, [
    `CommError: Cannot find the URL of "${ANN.did}": timed out after 1000 ms`,
  ]]);
  await Promise.all([silent.transport.close(), held.transport.close()]);
});

Deno.test("a response is held for longer than the longest delay of a timer", async () => {
  using timers = stub(globalThis, "setTimeout", () => JSON.parse("0"));
  const bob = httpEndpoint({ urlOf: () => undefined, replyWaitMs: Infinity });
  await bob.handler(toRequest(formatMessage(create())));
  assert(timers.calls.length > 0);
  for (const { args } of timers.calls) assert(Number(args[1]) <= 0x7fffffff);
  await bob.transport.close();
});

Deno.test("replies that cannot be read because too many responses are open are reported", async () => {
  const errors: unknown[] = [];
  const { transport } = withFetch(
    () =>
      new Response(new ReadableStream(), {
        status: 202,
        headers: { "content-type": "application/x-ndjson" },
      }),
    { capacity: 1, onError: (error) => errors.push(error) },
  );
  await transport.send(create());
  assertEquals(errors, []);
  await transport.send(create());
  assertEquals(errors.map(String), [
    `CommError: Cannot read replies from "${BOB.did}": too many responses are being read`,
  ]);
  await transport.close();
});

Deno.test("a reply that exceeds the buffer of its response is rejected", async () => {
  const bob = httpEndpoint({ urlOf: () => undefined, replyWaitMs: 60_000, maxQueuedBytes: 1000 });
  const message = create();
  const response = await bob.handler(toRequest(formatMessage(message)));
  const large = message.reply("update", "x".repeat(1000));
  assertEquals(await codeOf(bob.transport.send(large)), "capacity_exceeded");
  await response.body?.cancel();
  assertEquals(await codeOf(bob.transport.send(message.reply("response", 1))), "send_failed");
  await bob.transport.close();
});

Deno.test("receive() rejects for an invalid reply, and continues with the next reply", async () => {
  const errors: unknown[] = [];
  const reply = formatMessage(create({ sender: BOB.did, recipient: ANN.did }));
  const { transport } = withFetch(
    () =>
      new Response(`no JSON\n${" ".repeat(5)}${"x".repeat(2000)}\n${reply}\n`, {
        status: 202,
        headers: { "content-type": "application/x-ndjson" },
      }),
    { maxBodyBytes: 1000, onError: (error) => errors.push(error) },
  );
  await transport.send(create());
  assertEquals(await codeOf(transport.receive()), "deserialization_failed");
  assertEquals(await codeOf(transport.receive()), "message_too_large");
  assertEquals((await transport.receive())?.sender, BOB.did);
  await transport.close();
  assertEquals(errors, []);
});

/** An endpoint whose requests receive an open response, to which the test writes lines. */
function withOpenResponse(options: Partial<HttpEndpointOptions> = {}) {
  const errors: unknown[] = [];
  const canceled = Promise.withResolvers<void>();
  let output: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | undefined;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => void (output = controller),
    cancel: () => canceled.resolve(),
  });
  const headers = { "content-type": "application/x-ndjson" };
  const requested = Promise.withResolvers<void>();
  const respond = () => {
    requested.resolve();
    return new Response(body, { status: 202, headers });
  };
  const onError = (error: unknown) => errors.push(error);
  return {
    ...withFetch(respond, { onError, ...options }),
    errors,
    requested: requested.promise,
    canceled: canceled.promise,
    write: (text: string) => output?.enqueue(new TextEncoder().encode(text)),
  };
}

Deno.test("reading a response ends after 10 lines that are not replies to its request", async () => {
  const other = formatMessage(create({ correlationId: crypto.randomUUID() }));
  for (const line of ["no JSON\n", `${other}\n`]) {
    const { transport, errors, canceled, write } = withOpenResponse();
    await transport.send(create());
    write(line.repeat(1000));
    for (let count = 0; count < 10; count++) await transport.receive().catch(() => {});
    await canceled;
    const isIdle = transport.receive();
    assertEquals(errors.map(String), [
      `CommError: Cannot receive message: response of "${BOB.did}" contains 10 lines that are not ` +
      "replies to its request",
    ]);
    await transport.close();
    assertEquals(await isIdle, undefined);
  }
});

Deno.test("reading a response ends at maxResponseBytes", async () => {
  const reported = Promise.withResolvers<unknown>();
  const { transport, canceled, write } = withOpenResponse({
    maxResponseBytes: 1000,
    onError: reported.resolve,
  });
  await transport.send(create());
  write("\n".repeat(1001));
  const expected = "CommError: Cannot receive message: response is larger than 1000 bytes";
  assertEquals(String(await reported.promise), expected);
  await canceled;
  await transport.close();
});

Deno.test("reading a response ends after its last reply, or if the message is released", async () => {
  using time = new FakeTime();
  for (const isReplied of [true, false]) {
    const { transport, errors, canceled, write } = withOpenResponse();
    const message = create();
    await transport.send(message);
    write(`${formatMessage(message.reply("update", 1))}\n`);
    assertEquals((await transport.receive())?.payload, 1);
    const last = formatMessage(message.reply("response", 2));
    if (isReplied) write(`${last}\n${last}\n`);
    else transport.release?.(message);
    if (isReplied) assertEquals((await transport.receive())?.payload, 2);
    if (!isReplied) await time.tickAsync(1000);
    await canceled;
    await transport.close();
    assertEquals(errors, []);
  }
});

Deno.test("release() of a received message does not end a response to a message that was sent", async () => {
  const { transport, handler, write } = withOpenResponse();
  const message = create();
  await transport.send(message);
  await handler(toRequest(formatMessage(message)));
  const received = await transport.receive();
  if (received === undefined) throw new Error("the transport has ended");
  transport.release?.(received);
  write(`${formatMessage(message.reply("update", 1))}\n`);
  assertEquals((await transport.receive())?.payload, 1);
  await transport.close();
});

Deno.test("replies in responses do not use the capacity for received messages", async () => {
  const { transport, handler, write } = withOpenResponse({ capacity: 4 });
  const message = create();
  await transport.send(message);
  write(`${formatMessage(message.reply("update", 1))}\n`.repeat(100));
  await transport.whenUnread?.();
  for (const status of [202, 202, 503]) {
    assertEquals((await handler(toRequest(formatMessage(create())))).status, status);
  }
  await transport.close();
});

Deno.test("a response is not read after the peer's request has ended", async () => {
  using time = new FakeTime();
  const { transport, requested, canceled } = withOpenResponse();
  const peer = createPeer({
    signer: ANN,
    verifier: verifierOf(ANN),
    transport,
    protocol: PROTOCOL,
    onError: () => {},
  });
  const aborting = new AbortController();
  const request = peer.request(BOB.did, null, { signal: aborting.signal });
  await requested;
  await time.tickAsync(10);
  aborting.abort();
  await assertRejects(() => request, DOMException);
  await time.tickAsync(2000);
  await canceled;
  await peer.close();
});

Deno.test("a response that is incomplete or stays open too long is reported", async () => {
  using time = new FakeTime();
  const errors: string[] = [];
  const reported = Promise.withResolvers<void>();
  const bodies = [
    new ReadableStream({ start: (controller) => controller.error(new Error("reset")) }),
    new ReadableStream(),
  ];
  const { transport } = withFetch(() =>
    new Response(bodies.shift(), {
      status: 202,
      headers: { "content-type": "application/x-ndjson" },
    }), {
    replyTimeoutMs: 1000,
    onError: (error) => {
      if (errors.push(String(error)) === 2) reported.resolve();
    },
  });
  await transport.send(create());
  await transport.send(create());
  await time.tickAsync(1000);
  await reported.promise;
  await transport.close();
  assertEquals(errors, [
    "Error: reset",
    "CommError: Cannot read replies: timed out after 1000 ms",
  ]);
});

/** Posts messages, and returns how many responses are held open. */
async function countHeld(
  handler: (request: Request) => Promise<Response>,
  messages: readonly AgentCommMessage[],
): Promise<number> {
  let held = 0;
  for (const message of messages) {
    const response = await handler(toRequest(formatMessage(message)));
    assertEquals(response.status, 202);
    if (response.headers.get("content-type") === "application/x-ndjson") held++;
  }
  return held;
}

Deno.test("unverified messages in the name of one party hold at most a tenth of the responses open", async () => {
  const errors: string[] = [];
  const { handler, transport } = httpEndpoint({
    urlOf: () => undefined,
    replyWaitMs: 60_000,
    onError: (error) => errors.push(String(error)),
  });
  const forged = Array.from(
    { length: 150 },
    (_, n) => create({ sender: `did:web:x${n}.acme.com` }),
  );
  const reading = (async () => {
    for await (const message of transport) assertEquals(message.recipient, BOB.did);
  })();
  assertEquals(await countHeld(handler, forged), 100);
  assertEquals(errors.slice(0, 1), [
    'CommError: Cannot hold a response to "did:web:x100.acme.com" open for replies: too many ' +
    "responses are held open",
  ]);
  assertEquals(errors.length, 20);
  const message = create();
  assertEquals(await countHeld(handler, [message]), 1);
  await transport.send(message.reply("response", 1));
  await transport.close();
  await reading;
});

Deno.test("release() ends the response to a message, and no other response", async () => {
  const { handler, transport } = httpEndpoint({ urlOf: () => undefined, replyWaitMs: 60_000 });
  const message = create();
  const response = await handler(toRequest(formatMessage(message)));
  const received = await transport.receive();
  // A copy of the message, whose response is not held open.
  assertEquals(await countHeld(handler, [message]), 0);
  const copy = await transport.receive();
  assert(received !== undefined && copy !== undefined);
  transport.release?.(copy);
  transport.release?.(message);
  await transport.send(message.reply("update", 1));
  transport.release?.(received);
  assertEquals((await response.text()).trim().split("\n").length, 1);
  assertEquals(await codeOf(transport.send(message.reply("response", 2))), "send_failed");
  // A later response with the same key is not ended by the message of the earlier response.
  assertEquals(await countHeld(handler, [message]), 1);
  transport.release?.(received);
  await transport.send(message.reply("response", 3));
  await transport.close();
});

Deno.test("a peer ends the responses to messages that fail verification or are not served", async () => {
  const endpoint = httpEndpoint({ urlOf: () => undefined, replyWaitMs: 60_000, capacity: 20 });
  const peer = createPeer({
    signer: BOB,
    verifier: verifierOf(BOB),
    transport: endpoint.transport,
    protocol: PROTOCOL,
    onError: () => {},
  });
  peer.serve(() => "served");
  const genuine = await signMessage(create(), ANN);
  for (let round = 0; round < 30; round++) {
    const forged = create({ id: genuine.id.replace(/..$/, `${round + 10}`), payload: "forged" });
    const responses = await Promise.all(
      [forged, create({ protocol: "agent.heartbeat.v1" })].map((message) =>
        endpoint.handler(toRequest(formatMessage(message)))
      ),
    );
    for (const response of responses) {
      assertEquals(response.headers.get("content-type"), "application/x-ndjson");
      assertEquals((await response.text()).trim(), "");
    }
  }
  const response = await endpoint.handler(toRequest(formatMessage(genuine)));
  assertEquals(JSON.parse(await response.text()).payload, "served");
  await peer.close();
});

Deno.test("a peer ends the response to a request that is canceled", async () => {
  const endpoint = httpEndpoint({ urlOf: () => undefined, replyWaitMs: 60_000 });
  const peer = createPeer({
    signer: BOB,
    verifier: verifierOf(BOB),
    transport: endpoint.transport,
    protocol: PROTOCOL,
  });
  const started = Promise.withResolvers<void>();
  peer.serve((_request, { signal }) => {
    started.resolve();
    return new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason))
    );
  });
  const request = await signMessage(create(), ANN);
  const response = await endpoint.handler(toRequest(formatMessage(request)));
  await started.promise;
  const cancel = create({ messageType: "cancel", correlationId: request.id });
  await endpoint.handler(toRequest(formatMessage(await signMessage(cancel, ANN))));
  assertEquals((await response.text()).trim(), "");
  await peer.close();
});

Deno.test("senders whose URLs are not found in time do not keep out other senders", async () => {
  const { handler, transport } = httpEndpoint({
    urlOf: (did) => did.startsWith("did:web:") ? new Promise(() => {}) : undefined,
    replyWaitMs: 60_000,
    capacity: 20,
    onError: () => {},
  });
  const waiting = Array.from(
    { length: 50 },
    (_, n) => handler(toRequest(formatMessage(create({ sender: `did:web:tarpit${n}.com` })))),
  );
  // The messages above the limit are queued without a response that is held open.
  await Promise.all(waiting.slice(20, 40));
  for (let n = 0; n < 20; n++) await transport.receive();
  const message = create();
  assertEquals(await countHeld(handler, [message]), 1);
  await transport.send(message.reply("response", 1));
  await transport.close();
  await Promise.all(waiting);
});

Deno.test("a response is no longer held open when its client disconnects", async () => {
  const { handler, transport } = httpEndpoint({ urlOf: () => undefined, replyWaitMs: 60_000 });
  const client = new AbortController();
  const [early, late] = [create(), create()];
  await handler(toRequest(formatMessage(early), { signal: client.signal }));
  client.abort();
  await handler(toRequest(formatMessage(late), { signal: AbortSignal.abort() }));
  for (const message of [early, late]) {
    assertEquals(await codeOf(transport.send(message.reply("response", 1))), "send_failed");
  }
  await transport.close();
});

Deno.test("replies that are not read use a limited number of bytes for each recipient and in total", async () => {
  const { handler, transport } = httpEndpoint({
    urlOf: () => undefined,
    replyWaitMs: 60_000,
    maxQueuedBytes: 2000,
  });
  const senders = Array.from({ length: 9 }, (_, n) => `did:web:slow${n}.com`);
  async function ask(sender: string): Promise<{ message: AgentCommMessage; body: Response }> {
    const message = create({ sender });
    const body = await handler(toRequest(formatMessage(message)));
    await transport.receive();
    return { message, body };
  }
  const outcomes: string[] = [];
  const responses: Response[] = [];
  for (const sender of senders) {
    for (let n = 0; n < 2; n++) {
      const { message, body } = await ask(sender);
      const reply = message.reply("response", "x".repeat(1200));
      const sent = transport.send(reply).then(() => "sent", (error) => error.code);
      outcomes.push(await sent);
      responses.push(body);
      // A response that has received its last reply accepts no further one.
      if (n === 0 && outcomes.at(-1) === "sent") {
        assertEquals(await codeOf(transport.send(reply)), "send_failed");
      }
    }
  }
  const perSender = ["sent", "capacity_exceeded"];
  assertEquals(outcomes.slice(0, 16), Array.from({ length: 8 }, () => perSender).flat());
  // A recipient that reads its response needs no buffer.
  const reader = await ask("did:web:fast.com");
  const text = reader.body.text();
  for (let turn = 0; turn < 20; turn++) await undefined;
  await transport.send(reader.message.reply("response", "x".repeat(1200)));
  assertEquals(JSON.parse(await text).payload.length, 1200);
  // Reading a response frees its bytes.
  assertEquals(JSON.parse(await responses[0]?.text() ?? "").payload.length, 1200);
  const { message } = await ask(senders[0] ?? "");
  await transport.send(message.reply("response", "x".repeat(1200)));
  await transport.close();
  assertEquals(JSON.parse(await responses[2]?.text() ?? "").payload.length, 1200);
});

Deno.test("a response whose client does not read the last reply fails after 30 seconds", async () => {
  using time = new FakeTime();
  const { handler, transport } = httpEndpoint({ urlOf: () => undefined, replyWaitMs: 1000 });
  const message = create();
  const response = await handler(toRequest(formatMessage(message)));
  await transport.send(message.reply("response", 1));
  await time.tickAsync(30_000);
  await assertRejects(() => response.text(), CommError, "Cannot send replies: timed out");
  await transport.close();
});

Deno.test("messages in the name of one sender use at most half of the queue", async () => {
  const { handler, transport } = httpEndpoint({ urlOf: () => undefined, capacity: 4 });
  const post = async (message: AgentCommMessage): Promise<number> =>
    (await handler(toRequest(formatMessage(message)))).status;
  const statuses: number[] = [];
  for (let n = 0; n < 3; n++) statuses.push(await post(create()));
  assertEquals([...statuses, await post(create({ sender: BOB.did }))], [202, 202, 503, 202]);
  await transport.receive();
  assertEquals(await post(create()), 202);
  await transport.close();
});

Deno.test("messages to one recipient use at most half of the capacity for sending", async () => {
  const hang = (): Promise<Response> => new Promise(() => {});
  const { transport } = withFetch(hang, { capacity: 4 });
  const sent = [1, 2, 3].map(() => codeOf(transport.send(create())));
  assertEquals(await sent[2], "capacity_exceeded");
  const other = codeOf(transport.send(create({ recipient: ANN.did })));
  await transport.close();
  assertEquals(await Promise.all([sent[0], sent[1], other]), [
    "transport_closed",
    "transport_closed",
    "transport_closed",
  ]);
});

Deno.test("send() does not wait longer than timeoutMs for the body of a response to be discarded", async () => {
  using time = new FakeTime();
  const { transport } = withFetch(
    () => new Response(new ReadableStream({ cancel: () => new Promise(() => {}) })),
    { timeoutMs: 1000 },
  );
  const outcome = codeOf(transport.send(create()));
  await time.tickAsync(1000);
  assertEquals(await outcome, "timeout");
  const failing = withFetch(() =>
    new Response(
      new ReadableStream({
        cancel() {
          throw new Error("reset");
        },
      }),
    )
  );
  await failing.transport.send(create());
  await Promise.all([transport.close(), failing.transport.close()]);
});

Deno.test("handler() rejects charsets other than UTF-8 and content codings", async () => {
  const { handler, transport } = httpEndpoint({ urlOf: () => undefined });
  const body = formatMessage(create());
  const table: [number, Record<string, string>][] = [
    [415, { "content-type": "application/json; charset=utf-16" }],
    [415, { "content-type": 'application/json; charset="ISO-8859-1"' }],
    [415, { "content-type": "application/json; charset=" }],
    [415, { "content-type": "application/json", "content-encoding": "gzip" }],
    [202, { "content-type": 'application/json; charset="UTF-8"' }],
    [202, { "content-type": "application/json; profile=x", "content-encoding": "identity" }],
  ];
  for (const [status, headers] of table) {
    const response = await handler(toRequest(body, { headers }));
    assertEquals([response.status, headers], [status, headers]);
  }
  await transport.close();
});

Deno.test("a reply without a URL names replyWaitMs if it is not set", async () => {
  for (const [replyWaitMs, isNamed] of [[0, true], [1000, false]] as const) {
    const { transport } = httpEndpoint({ urlOf: () => undefined, replyWaitMs });
    const error = await assertRejects(() => transport.send(create()), CommError);
    assertEquals(error.message.includes('set "replyWaitMs"'), isNamed);
    await transport.close();
  }
});

Deno.test("httpEndpoint() throws if an option is invalid", () => {
  const urlOf = () => undefined;
  for (const option of [{ urlOf: BOB_URL }, { urlOf, fetch: 1 }, { urlOf, onError: 1 }]) {
    assertThrows(() => httpEndpoint(option as unknown as HttpEndpointOptions), TypeError);
  }
  const names = [
    "maxBodyBytes",
    "maxResponseBytes",
    "capacity",
    "maxQueuedBytes",
    "timeoutMs",
    "replyTimeoutMs",
  ];
  for (const name of names) assertThrows(() => httpEndpoint({ urlOf, [name]: 0 }), RangeError);
  assertThrows(() => httpEndpoint({ urlOf, replyWaitMs: -1 }), RangeError);
});

Deno.test("two peers with URLs send each other requests over HTTP", async () => {
  const urls = new Map<string, URL>();
  const nodes = [ANN, BOB].map((signer) => {
    const endpoint = httpEndpoint({ urlOf: (did) => urls.get(did) });
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      endpoint.handler,
    );
    urls.set(signer.did, new URL(`http://127.0.0.1:${server.addr.port}/`));
    const peer = createPeer({
      signer,
      verifier: verifierOf(signer),
      transport: endpoint.transport,
      protocol: PROTOCOL,
    });
    peer.serve(async ({ payload }, { update }) => {
      await update("thinking");
      return [signer.did, payload];
    });
    return { peer, server };
  });
  const [ann, bob] = nodes;
  assert(ann !== undefined && bob !== undefined);
  const updates: unknown[] = [];
  const onUpdate = (payload: unknown) => void updates.push(payload);
  assertEquals(await ann.peer.request(BOB.did, 1, { onUpdate }), [BOB.did, 1]);
  assertEquals(await bob.peer.request(ANN.did, 2, { onUpdate }), [ANN.did, 2]);
  assertEquals(updates, ["thinking", "thinking"]);
  for (const { peer, server } of nodes) {
    await peer.close();
    await server.shutdown();
  }
});
