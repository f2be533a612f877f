import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { AgentCommMessage } from "../message/message.ts";
import { createVerifier, type MessageVerifier, ReplayGuard } from "../policy.ts";
import { type PeerContext, PeerError } from "../requests.ts";
import { CommError, receiveFailed } from "../shared/error.ts";
import { deserializationFailed } from "../shared/json_error.ts";
import type { JsonValue } from "../shared/json.ts";
import { createChannelPair } from "../transport/channel.ts";
import type { MessageTransport } from "../transport/transport.ts";
import {
  ANN,
  answerFrom,
  BOB,
  EVE,
  type PeerSetup,
  PROTOCOL,
  requestFrom,
  setUp,
  verifierOf,
} from "../testdata/peers.ts";

/** Sends a request and returns the type and payload of the next message from the peer. */
async function ask({ remote, next }: PeerSetup, request: AgentCommMessage): Promise<JsonValue> {
  await remote.send(request);
  const { messageType, payload } = await next();
  return [messageType, payload];
}

/** A handler that waits until the test releases it, or until its signal aborts. */
function createHeldHandler() {
  const started: PeerContext[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const arrival = Promise.withResolvers<void>();
  return {
    started,
    release,
    arrived: arrival.promise,
    async handler(_request: unknown, context: PeerContext): Promise<JsonValue> {
      started.push(context);
      arrival.resolve();
      await new Promise<void>((resolve, reject) => {
        released.then(resolve);
        context.signal.addEventListener("abort", () => reject(context.signal.reason));
      });
      return "released";
    },
  };
}

function codesOf(errors: readonly unknown[]): string[] {
  return errors.map((error) => error instanceof CommError ? error.code : String(error));
}

Deno.test("serve() passes verified requests to the handler and sends signed responses", async () => {
  await using setup = setUp();
  setup.peer.serve(({ sender, messageType, payload, message }) => {
    assertEquals(message.sender, sender);
    return { from: sender, messageType, payload };
  });
  const request = await requestFrom(BOB, { messageType: "task_assign", payload: 7 });
  await setup.remote.send(request);
  const response = await setup.next();
  assert((await verifierOf(BOB).verify(response)).ok);
  const { sender, correlationId, messageType, payload } = response;
  assertEquals({ sender, correlationId, messageType, payload }, {
    sender: ANN.did,
    correlationId: request.id,
    messageType: "response",
    payload: { from: BOB.did, messageType: "task_assign", payload: 7 },
  });
});

Deno.test("serve() sends updates in order, before the response", async () => {
  await using setup = setUp();
  setup.peer.serve((_request, { update }) => {
    for (const n of [1, 2, 3]) void update(n);
    return "done";
  });
  await setup.remote.send(await requestFrom(BOB));
  const received: JsonValue[] = [];
  while (received.at(-1) !== "done") received.push((await setup.next()).payload);
  assertEquals(received, [1, 2, 3, "done"]);
});

Deno.test("serve() sends the code, message and data of a PeerError", async () => {
  await using setup = setUp();
  setup.peer.serve(() => {
    throw new PeerError("quota", "No more", { left: 0 });
  });
  assertEquals(await ask(setup, await requestFrom(BOB)), [
    "error",
    { code: "quota", message: "No more", data: { left: 0 } },
  ]);
  assertEquals(setup.errors, []);
});

Deno.test("serve() sends no details of other errors, and reports them", async () => {
  await using setup = setUp();
  const invalid: unknown = undefined;
  const fail = (): never => {
    throw new Error("unexpected call");
  };
  const failures: (() => JsonValue)[] = [
    () => {
      throw new Error("password is hunter2");
    },
    () => invalid as JsonValue,
    () => {
      throw new PeerError("bad", "data is not JSON", NaN);
    },
  ];
  const handlers = [...failures];
  setup.peer.serve(() => (handlers.shift() ?? fail)());
  for (let count = failures.length; count > 0; count--) {
    assertEquals(await ask(setup, await requestFrom(BOB)), [
      "error",
      { code: "internal_error", message: "Internal error" },
    ]);
  }
  assertEquals(codesOf(setup.errors), [
    "Error: password is hunter2",
    "invalid_message",
    "serialization_failed",
  ]);
});

Deno.test("new PeerError() throws if the code is empty", () => {
  assertThrows(() => new PeerError("", "No"), TypeError);
});

Deno.test("serve() reports messages that fail verification and sends no reply", async () => {
  await using setup = setUp();
  setup.peer.serve(() => "served");
  const genuine = await requestFrom(BOB, { payload: 1 });
  const tampered = { ...genuine, payload: 2 } as AgentCommMessage;
  const toOther = await requestFrom(BOB, { recipient: EVE.did });
  for (const message of [tampered, { ...genuine, signature: undefined }, toOther]) {
    await setup.remote.send(message as AgentCommMessage);
  }
  assertEquals(await ask(setup, await requestFrom(BOB)), ["response", "served"]);
  assertEquals(codesOf(setup.errors), [
    "signature_invalid",
    "signature_missing",
    "recipient_mismatch",
  ]);
});

Deno.test("a peer that does not serve sends not_serving, and can serve the request later", async () => {
  await using setup = setUp();
  const pending = setup.peer.request(BOB.did, null);
  const own = await setup.next();
  const request = await requestFrom(BOB);
  const [type, payload] = await ask(setup, request) as [string, { code: string }];
  assertEquals([type, payload.code], ["error", "not_serving"]);
  setup.peer.serve(() => "served");
  assertEquals(await ask(setup, request), ["response", "served"]);
  await setup.remote.send(await answerFrom(BOB, own));
  await pending;
});

Deno.test("serve() sends busy at each limit, and accepts the same message later", async () => {
  const big = "x".repeat(600);
  const table = [
    { limit: { maxServing: 1 }, payload: null, asker: EVE },
    { limit: { maxServingPerSender: 1 }, payload: null, asker: BOB },
    { limit: { maxServingBytes: 1000 }, payload: big, asker: EVE },
  ];
  for (const { limit, payload, asker } of table) {
    await using setup = setUp(limit);
    const held = createHeldHandler();
    setup.peer.serve(held.handler);
    await setup.remote.send(await requestFrom(BOB, { payload }));
    await held.arrived;
    const second = await requestFrom(asker, { payload });
    const [type, error] = await ask(setup, second) as [string, { code: string }];
    assertEquals([type, error.code], ["error", "busy"]);
    held.release();
    assertEquals((await setup.next()).payload, "released");
    assertEquals(await ask(setup, second), ["response", "released"]);
  }
});

Deno.test("serve() serves other senders at the limit of one sender", async () => {
  await using setup = setUp({ maxServing: 2, maxServingPerSender: 1 });
  const held = createHeldHandler();
  setup.peer.serve(held.handler);
  await setup.remote.send(await requestFrom(BOB));
  await held.arrived;
  await setup.remote.send(await requestFrom(EVE));
  held.release();
  const payloads = [(await setup.next()).payload, (await setup.next()).payload];
  assertEquals(payloads, ["released", "released"]);
});

Deno.test("a request is served again after a crash, but not after a response or a PeerError", async () => {
  await using setup = setUp();
  const results: (() => JsonValue)[] = [
    () => {
      throw new Error("crash");
    },
    () => "done",
  ];
  let calls = 0;
  setup.peer.serve(({ payload }) => {
    calls++;
    if (payload === "refuse") throw new PeerError("no", "No");
    return results.shift()?.() ?? null;
  });
  const request = await requestFrom(BOB);
  assertEquals((await ask(setup, request) as JsonValue[])[0], "error");
  assertEquals(await ask(setup, request), ["response", "done"]);
  const refused = await requestFrom(BOB, { payload: "refuse" });
  assertEquals((await ask(setup, refused) as JsonValue[])[0], "error");
  await setup.remote.send(request);
  await setup.remote.send(refused);
  assertEquals((await ask(setup, await requestFrom(BOB)) as JsonValue[])[0], "response");
  assertEquals(calls, 4);
  assertEquals(codesOf(setup.errors), ["Error: crash", "replay_detected", "replay_detected"]);
});

Deno.test("serve() calls no handler while the clock of the verifier is invalid, and then continues", async () => {
  for (const invalid of [NaN, null, "0", -Infinity]) {
    let time: unknown = invalid;
    // The types do not permit some times, but clocks in JavaScript can return them.
    const options = { now: () => time as number, replayGuard: new ReplayGuard() };
    const verifier = createVerifier({ recipient: ANN.did, ...options });
    const reported = Promise.withResolvers<unknown>();
    await using setup = setUp({ verifier, onError: reported.resolve });
    let calls = 0;
    setup.peer.serve(() => ++calls);
    await setup.remote.send(await requestFrom(BOB));
    assert(await reported.promise instanceof TypeError);
    assertEquals(calls, 0);
    time = Date.now();
    assertEquals(await ask(setup, await requestFrom(BOB)), ["response", 1]);
  }
});

Deno.test("serve() throws without a replay store, unless allowRepeatedRequests is set", async () => {
  const verifier = createVerifier({ recipient: ANN.did });
  await using setup = setUp({ verifier });
  assertThrows(() => setup.peer.serve(() => "served"), TypeError, '"allowRepeatedRequests"');
  await using allowed = setUp({ verifier, allowRepeatedRequests: true });
  allowed.peer.serve(() => "served");
  // A custom verifier must state that it rejects replayed messages.
  const { begin, verify } = verifier;
  await using custom = setUp({ verifier: { begin, verify } });
  assertThrows(() => custom.peer.serve(() => "served"), TypeError, '"rejectsReplays"');
  await using stated = setUp({ verifier: { begin, verify, rejectsReplays: true } });
  stated.peer.serve(() => "served");
});

Deno.test("createPeer() throws for onMessage without a replay store, unless allowRepeatedRequests is set", async () => {
  const verifier = createVerifier({ recipient: ANN.did });
  const { begin, verify } = verifier;
  const onMessage = () => {};
  for (const each of [verifier, { begin, verify }]) {
    assertThrows(() => setUp({ verifier: each, onMessage }), TypeError, "Cannot call onMessage");
    await using _allowed = setUp({ verifier: each, onMessage, allowRepeatedRequests: true });
  }
});

Deno.test("a copy of a request in progress is not served, even without a replay store", async () => {
  const verifier = createVerifier({ recipient: ANN.did });
  await using setup = setUp({ verifier, allowRepeatedRequests: true });
  const held = createHeldHandler();
  setup.peer.serve(held.handler);
  const request = await requestFrom(BOB);
  await setup.remote.send(request);
  await setup.remote.send(request);
  await held.arrived;
  held.release();
  assertEquals((await setup.next()).payload, "released");
  assertEquals(held.started.length, 1);
  assertEquals(codesOf(setup.errors), ["replay_detected"]);
});

Deno.test("a cancel message from the requester aborts the handler, and no reply is sent", async () => {
  await using setup = setUp();
  const held = createHeldHandler();
  setup.peer.serve(async (request, context) =>
    request.payload === "next" ? "next" : await held.handler(request, context)
  );
  const request = await requestFrom(BOB);
  await setup.remote.send(request);
  await held.arrived;
  const cancel = { messageType: "cancel", correlationId: request.id };
  await setup.remote.send(await requestFrom(EVE, cancel));
  await setup.remote.send(await requestFrom(BOB, { ...cancel, correlationId: "unknown" }));
  assertEquals(held.started[0]?.signal.aborted, false);
  const canceled = new Promise<void>((resolve) =>
    held.started[0]?.signal.addEventListener("abort", () => resolve())
  );
  await setup.remote.send(await requestFrom(BOB, cancel));
  await canceled;
  await assertRejects(() => held.started[0]?.update(1) ?? Promise.resolve());
  assertEquals(await ask(setup, await requestFrom(BOB, { payload: "next" })), [
    "response",
    "next",
  ]);
  assertEquals(setup.errors, []);
  // The canceled request is not served again.
  await setup.remote.send(request);
  assertEquals(await ask(setup, await requestFrom(BOB, { payload: "next" })), [
    "response",
    "next",
  ]);
  assertEquals(held.started.length, 1);
  assertEquals(codesOf(setup.errors), ["replay_detected"]);
});

Deno.test("update() throws a TypeError after the handler has returned", async () => {
  await using setup = setUp();
  let late: PeerContext["update"] = () => Promise.resolve();
  setup.peer.serve((_request, { update }) => {
    late = update;
    return null;
  });
  await ask(setup, await requestFrom(BOB));
  await assertRejects(() => late(1), TypeError, "already returned");
});

Deno.test("a response that cannot be sent is reported and replaced by internal_error", async () => {
  const [inner, remote] = createChannelPair();
  const transport: MessageTransport = Object.assign(Object.create(inner), {
    receive: () => inner.receive(),
    close: () => inner.close(),
    send(message: AgentCommMessage) {
      if (message.messageType !== "response") return inner.send(message);
      return Promise.reject(deserializationFailed("too large", 0));
    },
  });
  await using setup = setUp({ transport });
  setup.peer.serve(() => "large");
  await remote.send(await requestFrom(BOB));
  const reply = await remote.receive();
  assertEquals(reply?.payload, { code: "internal_error", message: "Internal error" });
  assertEquals(codesOf(setup.errors), ["deserialization_failed"]);
});

Deno.test("a malformed frame does not end the peer, and a failed transport does", async () => {
  const events: (AgentCommMessage | CommError)[] = [
    deserializationFailed("no JSON", 0),
    await requestFrom(BOB),
    receiveFailed("connection reset"),
  ];
  const sent: AgentCommMessage[] = [];
  const [inner] = createChannelPair();
  const transport: MessageTransport = Object.assign(Object.create(inner), {
    receive: () => {
      const event = events.shift();
      return event instanceof CommError ? Promise.reject(event) : Promise.resolve(event);
    },
    close: () => inner.close(),
    send: (message: AgentCommMessage) => Promise.resolve(void sent.push(message)),
  });
  await using setup = setUp({ transport });
  // The handler does not return, so no reply is being signed when the test ends.
  const held = createHeldHandler();
  await setup.peer.serve(held.handler);
  assertEquals(held.started.length, 1);
  assertEquals(codesOf(setup.errors), ["deserialization_failed", "receive_failed"]);
  const error = await assertRejects(() => setup.peer.request(BOB.did, null), CommError);
  assertEquals([error.code, codesOf([error.cause])], ["transport_closed", ["receive_failed"]]);
  assert(error.message.startsWith("Cannot complete request: transport failed: "), error.message);
});

Deno.test("onMessage receives verified messages that are not part of a request", async () => {
  const received: string[] = [];
  await using setup = setUp({
    onMessage(message) {
      received.push(message.messageType);
      if (message.messageType === "broken") throw new Error("onMessage failed");
    },
  });
  setup.peer.serve(() => "served");
  await setup.remote.send(await requestFrom(BOB, { messageType: "broken", correlationId: "x" }));
  const other = { protocol: "agent.heartbeat.v1", messageType: "response", correlationId: "x" };
  await setup.remote.send(await requestFrom(BOB, other));
  const forged = { ...await requestFrom(BOB, other), payload: 1 } as AgentCommMessage;
  await setup.remote.send(forged);
  await ask(setup, await requestFrom(BOB));
  assertEquals(received, ["broken", "response"]);
  assertEquals(codesOf(setup.errors), ["Error: onMessage failed", "signature_invalid"]);
});

Deno.test("onMessage is called at most maxServing times concurrently", async () => {
  const gate = Promise.withResolvers<void>();
  const received: unknown[] = [];
  await using setup = setUp({
    maxServing: 2,
    maxServingPerSender: 2,
    onMessage: async ({ payload }) => {
      received.push(payload);
      await gate.promise;
    },
  });
  setup.peer.serve(() => "served");
  const messages = await Promise.all(
    [1, 2, 3].map((payload) => requestFrom(BOB, { protocol: "agent.heartbeat.v1", payload })),
  );
  for (const message of messages) await setup.remote.send(message);
  await ask(setup, await requestFrom(BOB));
  assertEquals([received, codesOf(setup.errors)], [[1, 2], ["capacity_exceeded"]]);
  gate.resolve();
  await ask(setup, await requestFrom(BOB));
  for (const message of messages.slice(2)) await setup.remote.send(message);
  await ask(setup, await requestFrom(BOB));
  assertEquals([received, setup.errors.length], [[1, 2, 3], 1]);
});

Deno.test("onMessage has capacity for a sender while another sender uses its share", async () => {
  const gate = Promise.withResolvers<void>();
  const received: string[] = [];
  await using setup = setUp({
    maxServing: 4,
    onMessage: async ({ sender, payload }) => {
      received.push(`${sender === BOB.did ? "bob" : "eve"} ${payload}`);
      await gate.promise;
    },
  });
  const other = { protocol: "agent.heartbeat.v1" };
  for (const payload of [1, 2, 3]) {
    await setup.remote.send(await requestFrom(EVE, { ...other, payload }));
  }
  await setup.remote.send(await requestFrom(BOB, { ...other, payload: 4 }));
  setup.peer.serve(() => "served");
  await ask(setup, await requestFrom(BOB));
  assertEquals(received.toSorted(), ["bob 4", "eve 1", "eve 2"]);
  assertEquals(codesOf(setup.errors), ["capacity_exceeded"]);
  gate.resolve();
});

Deno.test("a message that is rejected for lack of capacity after its verification is not tracked", async () => {
  const gate = Promise.withResolvers<void>();
  const inner = verifierOf(ANN);
  const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const resumed = Promise.withResolvers<void>();
  const reported = Promise.withResolvers<unknown>();
  const waiting = [...begun];
  const received: unknown[] = [];
  await using setup = setUp({
    maxServing: 1,
    verifier: {
      rejectsReplays: true,
      verify: (message, options) => inner.verify(message, options),
      async begin(message, options) {
        const result = await inner.begin(message, options);
        waiting.shift()?.resolve();
        await resumed.promise;
        return result;
      },
    },
    onError: (error) => reported.resolve(error),
    onMessage: async ({ payload }) => {
      received.push(payload);
      await gate.promise;
    },
  });
  const other = { protocol: "agent.heartbeat.v1" };
  const late = await requestFrom(EVE, { ...other, payload: "late" });
  await setup.remote.send(await requestFrom(BOB, { ...other, payload: "first" }));
  await begun[0]?.promise;
  await setup.remote.send(late);
  await begun[1]?.promise;
  resumed.resolve();
  assertEquals(codesOf([await reported.promise]), ["capacity_exceeded"]);
  assertEquals(received, ["first"]);
  assert((await inner.begin(late)).ok);
  gate.resolve();
});

Deno.test("with onMessage, a peer reads messages before the first call", async () => {
  const received = Promise.withResolvers<unknown>();
  await using setup = setUp({ onMessage: ({ payload }) => received.resolve(payload) });
  await setup.remote.send(await requestFrom(BOB, { protocol: "agent.heartbeat.v1", payload: 1 }));
  assertEquals(await received.promise, 1);
});

Deno.test("without onMessage, messages that are not part of a request are reported once", async () => {
  await using setup = setUp();
  setup.peer.serve(() => "served");
  for (let count = 0; count < 3; count++) {
    await setup.remote.send(await requestFrom(BOB, { protocol: "agent.heartbeat.v1" }));
  }
  await setup.remote.send(await requestFrom(BOB, { messageType: "notice", correlationId: "x" }));
  assertEquals(await ask(setup, await requestFrom(BOB)), ["response", "served"]);
  assertEquals(setup.errors.map(String), [
    `CommError: Cannot accept message of protocol "agent.heartbeat.v1" from "${BOB.did}": this ` +
    `peer has protocol "${PROTOCOL}"; set "onMessage" to receive other messages`,
    'CommError: Cannot accept message: "correlationId" must be absent in a message of type ' +
    `"notice" from "${BOB.did}"; set "onMessage" to receive messages that are not requests`,
  ]);
});

Deno.test("messages of other protocols from many senders cause at most 20 reports per minute", async () => {
  await using setup = setUp();
  setup.peer.serve(() => "served");
  const genuine = await requestFrom(BOB);
  for (let n = 0; n < 50; n++) {
    const fields = { protocol: "agent.heartbeat.v1", sender: `did:web:${n}.com` };
    await setup.remote.send(new AgentCommMessage({ ...genuine, ...fields }));
  }
  assertEquals(await ask(setup, genuine), ["response", "served"]);
  assertEquals(setup.errors.length, 20);
});

Deno.test("a peer reports messages that it does not read because it was not started", async () => {
  using time = new FakeTime();
  await using setup = setUp();
  await time.tickAsync(30_000);
  assertEquals(setup.errors, []);
  for (let n = 0; n < 3; n++) await setup.remote.send(await requestFrom(BOB));
  await time.tickAsync(30_000);
  assertEquals(setup.errors.map(String), [
    "Error: 3 messages are not read: call serve() of the peer, or request()",
  ]);
  await using started = setUp();
  const served = Promise.withResolvers<void>();
  started.peer.serve(() => {
    served.resolve();
    return "served";
  });
  await started.remote.send(await requestFrom(BOB));
  await served.promise;
  await time.tickAsync(30_000);
  assertEquals(started.errors, []);
});

Deno.test("serve() throws if it was already called or the handler is not a function", async () => {
  await using setup = setUp();
  const handler: unknown = "handler";
  assertThrows(() => setup.peer.serve(handler as () => null), TypeError);
  setup.peer.serve(() => null);
  assertThrows(() => setup.peer.serve(() => null), TypeError);
});

Deno.test("close() aborts running handlers, waits for them and resolves serve()", async () => {
  const setup = setUp();
  const held = createHeldHandler();
  let isDone = false;
  const served = setup.peer.serve(async (request, context) => {
    try {
      return await held.handler(request, context);
    } finally {
      isDone = true;
    }
  });
  await setup.remote.send(await requestFrom(BOB));
  await held.arrived;
  await Promise.all([setup.peer.close(), setup.peer.close()]);
  await served;
  assert(isDone);
  assertEquals(await setup.remote.receive(), undefined);
  assertEquals(setup.errors, []);
});

Deno.test("close() does not wait longer than closeTimeoutMs for a handler", async () => {
  using time = new FakeTime();
  const setup = setUp({ closeTimeoutMs: 1000 });
  const arrived = Promise.withResolvers<void>();
  setup.peer.serve(() => {
    arrived.resolve();
    return new Promise<JsonValue>(() => {});
  });
  await setup.remote.send(await requestFrom(BOB));
  await arrived.promise;
  const closed = setup.peer.close();
  await time.tickAsync(1000);
  await closed;
});

Deno.test("the end of the transport aborts handlers and releases their requests", async () => {
  const verifier = verifierOf(ANN);
  const setup = setUp({ verifier });
  const held = createHeldHandler();
  const served = setup.peer.serve(held.handler);
  const request = await requestFrom(BOB);
  await setup.remote.send(request);
  await held.arrived;
  await setup.remote.close();
  await served;
  await setup.peer.close();
  assert(held.started[0]?.signal.aborted);
  assert((await verifier.begin(request)).ok);
});

Deno.test("a reply is sent even if the replay store never responds, which is reported", async () => {
  using time = new FakeTime();
  const inner = verifierOf(ANN);
  const never = new Promise<void>(() => {});
  const verifier: MessageVerifier = {
    rejectsReplays: true,
    verify: (message, options) => inner.verify(message, options),
    begin: async (message, options) => {
      const result = await inner.begin(message, options);
      return result.ok ? { ...result, commit: () => never, abort: () => never } : result;
    },
  };
  await using setup = setUp({ verifier, verifyTimeoutMs: 1000 });
  const called = Promise.withResolvers<void>();
  setup.peer.serve(() => {
    called.resolve();
    return "served";
  });
  await setup.remote.send(await requestFrom(BOB));
  await called.promise;
  await time.tickAsync(1000);
  assertEquals((await setup.next()).payload, "served");
  assertEquals(codesOf(setup.errors), ["timeout"]);
});

Deno.test("close() does not wait longer than closeTimeoutMs for the transport", async () => {
  using time = new FakeTime();
  const [inner] = createChannelPair();
  const transport: MessageTransport = Object.assign(Object.create(inner), {
    send: () => new Promise(() => {}),
    receive: () => new Promise(() => {}),
    close: () => new Promise(() => {}),
  });
  const setup = setUp({ transport, closeTimeoutMs: 1000 });
  const served = setup.peer.serve(() => "served");
  const closed = setup.peer.close();
  await time.tickAsync(1000);
  await closed;
  await served;
  assertEquals(codesOf(setup.errors), ["timeout"]);
});

Deno.test("the requests of one sender use at most half of maxServing and maxServingBytes", async () => {
  const big = "x".repeat(300);
  for (const limits of [{ maxServing: 3 }, { maxServingBytes: 4000, maxServingPerSender: 9 }]) {
    await using setup = setUp(limits);
    const held = createHeldHandler();
    const isServed = Promise.withResolvers<void>();
    setup.peer.serve(async (request, context) => {
      if (request.sender === BOB.did) isServed.resolve();
      return await held.handler(request, context);
    });
    for (let n = 0; n < 3; n++) await setup.remote.send(await requestFrom(EVE, { payload: big }));
    assertEquals((await setup.next()).payload, {
      code: "busy",
      message: "Too many requests in progress",
    });
    await setup.remote.send(await requestFrom(BOB));
    await isServed.promise;
    held.release();
  }
});

Deno.test("createPeer() throws if the verifier verifies messages for another recipient", () => {
  const verifier = createVerifier({ recipient: BOB.did });
  assertThrows(() => setUp({ verifier }), TypeError, '"verifier.recipient" must be the DID of');
  setUp({ verifier: createVerifier({ recipient: "any" }) });
});
