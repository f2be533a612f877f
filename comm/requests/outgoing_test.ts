import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { createPeer, type PeerOptions } from "../requests.ts";
import type { AgentCommMessage } from "../message/message.ts";
import { createVerifier, ReplayGuard } from "../policy.ts";
import { CommError } from "../shared/error.ts";
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
  setUp,
  verifierOf,
} from "../testdata/peers.ts";

async function codeOf(work: Promise<unknown>): Promise<string> {
  return (await assertRejects(() => work, CommError)).code;
}

function codesOf(errors: readonly unknown[]): string[] {
  return errors.map((error) => error instanceof CommError ? error.code : String(error));
}

Deno.test("request() sends a signed request and returns the payload of the response", async () => {
  await using setup = setUp();
  const answer = setup.peer.request(BOB.did, { question: "6 * 7" }, { messageType: "ask" });
  const request = await setup.next();
  assert((await verifierOf(BOB).verify(request)).ok);
  const { sender, recipient, protocol, messageType, payload, correlationId } = request;
  assertEquals({ sender, recipient, protocol, messageType, payload, correlationId }, {
    sender: ANN.did,
    recipient: BOB.did,
    protocol: PROTOCOL,
    messageType: "ask",
    payload: { question: "6 * 7" },
    correlationId: undefined,
  });
  await setup.remote.send(await answerFrom(BOB, request, { payload: 42 }));
  assertEquals(await answer, 42);
  assertEquals(setup.errors, []);
});

Deno.test("request() matches concurrent responses to their requests", async () => {
  await using setup = setUp();
  const answers = [1, 2, 3].map((n) => setup.peer.request(BOB.did, n));
  const requests = [await setup.next(), await setup.next(), await setup.next()];
  for (const request of requests.toReversed()) {
    const payload = `answer to ${request.payload}`;
    await setup.remote.send(await answerFrom(BOB, request, { payload }));
  }
  assertEquals(await Promise.all(answers), ["answer to 1", "answer to 2", "answer to 3"]);
});

Deno.test("request() calls onUpdate with each update, in order", async () => {
  await using setup = setUp();
  const updates: JsonValue[] = [];
  const answer = setup.peer.request(BOB.did, null, {
    onUpdate: (payload) => void updates.push(payload),
  });
  const request = await setup.next();
  for (const payload of [1, 2, 3]) {
    await setup.remote.send(await answerFrom(BOB, request, { messageType: "update", payload }));
  }
  await setup.remote.send(await answerFrom(BOB, request, { payload: "done" }));
  assertEquals(await answer, "done");
  assertEquals(updates, [1, 2, 3]);
});

Deno.test("request() continues if onUpdate throws, and reports the error", async () => {
  await using setup = setUp();
  const answer = setup.peer.request(BOB.did, null, {
    onUpdate() {
      throw new Error("disk full");
    },
  });
  const request = await setup.next();
  await setup.remote.send(await answerFrom(BOB, request, { messageType: "update" }));
  await setup.remote.send(await answerFrom(BOB, request, { payload: "done" }));
  assertEquals(await answer, "done");
  assertEquals(setup.errors.map(String), ["Error: disk full"]);
});

Deno.test("request() rejects with the error of the peer", async () => {
  const cases: [JsonValue, object][] = [
    [{ code: "quota", message: "No", data: { left: 0 } }, {
      code: "quota",
      message: "No",
      data: { left: 0 },
    }],
    [{ code: "quota" }, { code: "quota", message: "" }],
    [{ code: 5, message: 6 }, { code: "unknown", message: "" }],
    ["broken", { code: "unknown", message: "" }],
    [null, { code: "unknown", message: "" }],
  ];
  await using setup = setUp();
  for (const [payload, details] of cases) {
    const answer = setup.peer.request(BOB.did, null);
    const request = await setup.next();
    await setup.remote.send(await answerFrom(BOB, request, { messageType: "error", payload }));
    const error = await assertRejects(() => answer, CommError);
    assertEquals(error.code, "request_failed");
    assertEquals(error.details, details);
  }
});

Deno.test("request() ignores replies that are forged, unsigned, foreign or for another request", async () => {
  await using setup = setUp();
  const answer = setup.peer.request(BOB.did, null);
  const request = await setup.next();
  const genuine = await answerFrom(BOB, request, { payload: "genuine" });
  const forged = { ...genuine.toJSON(), payload: "forged" };
  const other = await answerFrom(BOB, request, { correlationId: "other", payload: "other" });
  await setup.remote.send(await answerFrom(EVE, request, { payload: "foreign" }));
  await setup.remote.send(await answerFrom(EVE, request, { messageType: "error" }));
  await setup.remote.send(other);
  for (const fields of [forged, { ...forged, signature: undefined }]) {
    const { extensions: _, ...init } = { ...genuine, ...fields };
    await setup.remote.send(init as typeof genuine);
  }
  await setup.remote.send(genuine);
  assertEquals(await answer, "genuine");
  const codes = setup.errors.map((error) => error instanceof CommError ? error.code : error);
  assertEquals(codes.toSorted(), [
    "sender_refused",
    "sender_refused",
    "signature_invalid",
    "signature_missing",
  ]);
});

Deno.test("request() ignores a repeated update and a late response", async () => {
  await using setup = setUp();
  let updates = 0;
  const answer = setup.peer.request(BOB.did, null, { onUpdate: () => void updates++ });
  const request = await setup.next();
  const update = await answerFrom(BOB, request, { messageType: "update" });
  await setup.remote.send(update);
  await setup.remote.send(update);
  await setup.remote.send(await answerFrom(BOB, request, { payload: "first" }));
  await setup.remote.send(await answerFrom(BOB, request, { payload: "late" }));
  assertEquals(await answer, "first");
  assertEquals(updates, 1);
  const next = setup.peer.request(BOB.did, null);
  await setup.remote.send(await answerFrom(BOB, await setup.next(), { payload: "next" }));
  assertEquals(await next, "next");
});

/** Sends a number of updates, and then the response. */
async function sendUpdates(
  { remote }: PeerSetup,
  request: AgentCommMessage,
  count: number,
): Promise<void> {
  for (let payload = 0; payload < count; payload++) {
    await remote.send(await answerFrom(BOB, request, { messageType: "update", payload }));
  }
  await remote.send(await answerFrom(BOB, request, { payload: "done" }));
}

Deno.test("request() calls onUpdate with one update at a time, and returns after the last update", async () => {
  await using setup = setUp();
  let running = 0;
  let isOverlapping = false;
  const updates: JsonValue[] = [];
  const answer = setup.peer.request(BOB.did, null, {
    async onUpdate(payload) {
      isOverlapping ||= running++ > 0;
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
      updates.push(payload);
      running--;
      if (payload === 3) throw new Error("disk full");
    },
  });
  await sendUpdates(setup, await setup.next(), 50);
  assertEquals(await answer, "done");
  assertEquals([isOverlapping, updates], [false, Array.from({ length: 50 }, (_, n) => n)]);
  assertEquals(setup.errors.map(String), ["Error: disk full"]);
});

Deno.test("updates above maxQueuedUpdates or maxQueuedUpdateBytes are dropped and reported", async () => {
  for (const limit of [{ maxQueuedUpdates: 6 }, { maxQueuedUpdateBytes: 3500 }]) {
    await using setup = setUp(limit);
    const gate = Promise.withResolvers<void>();
    const updates: JsonValue[] = [];
    const options = {
      onUpdate: async (payload: JsonValue) => {
        await gate.promise;
        updates.push(payload);
      },
    };
    const answer = setup.peer.request(BOB.did, null, options);
    await sendUpdates(setup, await setup.next(), 10);
    // A response to a later request shows that the updates have been received.
    const next = setup.peer.request(BOB.did, null);
    await setup.remote.send(await answerFrom(BOB, await setup.next()));
    await next;
    gate.resolve();
    assertEquals(await answer, "done");
    assertEquals(updates, [0, 1, 2, 3]);
    assertEquals(codesOf(setup.errors), Array.from({ length: 6 }, () => "capacity_exceeded"));
  }
});

Deno.test("request() ends updateTimeoutMs after the response if onUpdate does not return", async () => {
  using time = new FakeTime();
  await using setup = setUp({ updateTimeoutMs: 1000 });
  let calls = 0;
  const answer = setup.peer.request(BOB.did, null, {
    timeoutMs: 500,
    maxTotalMs: 500,
    onUpdate: () => {
      calls++;
      return new Promise(() => {});
    },
  });
  await sendUpdates(setup, await setup.next(), 3);
  const next = setup.peer.request(BOB.did, null);
  await setup.remote.send(await answerFrom(BOB, await setup.next()));
  await next;
  await time.tickAsync(1000);
  assertEquals(await answer, "done");
  assertEquals([calls, setup.errors.map(String)], [1, [
    `CommError: Cannot deliver update from "${BOB.did}": "onUpdate" did not return within 1000 ms ` +
    "after the response",
  ]]);
});

Deno.test("request() discards waiting updates if it is aborted or the peer is closed", async () => {
  const setup = setUp();
  const controller = new AbortController();
  const started = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const calls = [0, 0];
  const [aborted, closed] = [{ signal: controller.signal }, {}].map((options, index) =>
    setup.peer.request(BOB.did, null, {
      ...options,
      onUpdate() {
        calls[index] = (calls[index] ?? 0) + 1;
        started[index]?.resolve();
        return new Promise(() => {});
      },
    })
  );
  const requests = [await setup.next(), await setup.next()];
  for (const request of requests) await sendUpdates(setup, request, 3);
  await Promise.all(started.map(({ promise }) => promise));
  const next = setup.peer.request(BOB.did, null);
  await setup.remote.send(await answerFrom(BOB, await setup.next()));
  await next;
  controller.abort(new Error("enough"));
  await assertRejects(() => aborted ?? Promise.resolve(), Error, "enough");
  await setup.peer.close();
  assertEquals([await closed, calls], ["done", [1, 1]]);
  assertEquals(setup.errors, []);
});

Deno.test("replies to a pending request do not use the capacity of the replay store", async () => {
  const replayGuard = new ReplayGuard({ maxEntries: 10 });
  await using setup = setUp({ verifier: createVerifier({ recipient: ANN.did, replayGuard }) });
  let updates = 0;
  const answer = setup.peer.request(BOB.did, null, { onUpdate: () => void updates++ });
  await sendUpdates(setup, await setup.next(), 1500);
  assertEquals([await answer, updates, replayGuard.size], ["done", 1500, 0]);
  assertEquals(setup.errors, []);
});

Deno.test("a repeated update is reported, and does not restart the timeout", async () => {
  using time = new FakeTime();
  await using setup = setUp();
  let updates = 0;
  const outcome = codeOf(
    setup.peer.request(BOB.did, null, { timeoutMs: 2000, onUpdate: () => void updates++ }),
  );
  const request = await setup.next();
  const all: AgentCommMessage[] = [];
  for (let n = 0; n < 600; n++) {
    all.push(await answerFrom(BOB, request, { messageType: "update", payload: n }));
    time.tick(1);
  }
  for (const update of all) await setup.remote.send(update);
  while (updates < 600) await time.tickAsync(0);
  await time.tickAsync(1900);
  for (const update of [all[0], all[300], all[599]]) {
    if (update !== undefined) await setup.remote.send(update);
  }
  while (setup.errors.length < 3) await time.tickAsync(0);
  await time.tickAsync(100);
  assertEquals(await outcome, "timeout");
  assertEquals(updates, 600);
  assertEquals(codesOf(setup.errors), Array.from({ length: 3 }, () => "replay_detected"));
});

Deno.test("close() first sends the cancel messages of requests that have ended", async () => {
  await using setup = setUp();
  const controller = new AbortController();
  const answer = setup.peer.request(BOB.did, null, { signal: controller.signal });
  const { id } = await setup.next();
  const open = setup.peer.request(BOB.did, "open");
  await setup.next();
  controller.abort(new Error("enough"));
  const closed = setup.peer.close();
  await assertRejects(() => answer, Error, "enough");
  assertEquals(await codeOf(open), "transport_closed");
  const { messageType, correlationId } = await setup.next();
  assertEquals([messageType, correlationId], ["cancel", id]);
  await closed;
  assertEquals(setup.errors, []);
});

Deno.test("close() drops cancel messages that cannot be sent in time", async () => {
  const [inner, remote] = createChannelPair();
  const canceling = Promise.withResolvers<void>();
  const transport: MessageTransport = {
    send(message, options) {
      if (message.messageType !== "cancel") return inner.send(message, options);
      canceling.resolve();
      return new Promise(() => {});
    },
    receive: (options) => inner.receive(options),
    close: () => inner.close(),
    [Symbol.asyncIterator]: () => inner[Symbol.asyncIterator](),
    [Symbol.asyncDispose]: () => inner.close(),
  };
  await using setup = setUp({ transport, closeTimeoutMs: 1 });
  const controller = new AbortController();
  const answer = setup.peer.request(BOB.did, null, { signal: controller.signal });
  await remote.receive();
  controller.abort(new Error("enough"));
  await assertRejects(() => answer, Error, "enough");
  await canceling.promise;
  await setup.peer.close();
  assertEquals(setup.errors, []);
});

Deno.test("request() sends a cancel message if its signal aborts", async () => {
  await using setup = setUp();
  const controller = new AbortController();
  const answer = setup.peer.request(BOB.did, null, { signal: controller.signal });
  const request = await setup.next();
  controller.abort(new Error("changed my mind"));
  await assertRejects(() => answer, Error, "changed my mind");
  const cancel = await setup.next();
  assertEquals([cancel.messageType, cancel.correlationId, cancel.recipient], [
    "cancel",
    request.id,
    BOB.did,
  ]);
  assert((await verifierOf(BOB).verify(cancel)).ok);
});

Deno.test("request() sends nothing if its signal is already aborted", async () => {
  await using setup = setUp();
  const signal = AbortSignal.abort(new Error("too late"));
  await assertRejects(() => setup.peer.request(BOB.did, null, { signal }), Error, "too late");
  assertEquals(setup.remote.tryReceive(), undefined);
});

Deno.test("request() times out without a reply, and an update restarts the time", async () => {
  using time = new FakeTime();
  await using setup = setUp();
  let onUpdate = (): void => {};
  const answer = setup.peer.request(BOB.did, null, {
    timeoutMs: 1000,
    onUpdate: () => onUpdate(),
  });
  const outcome = codeOf(answer);
  const request = await setup.next();
  for (let round = 0; round < 3; round++) {
    await time.tickAsync(900);
    const updated = new Promise<void>((resolve) => onUpdate = resolve);
    await setup.remote.send(await answerFrom(BOB, request, { messageType: "update" }));
    await updated;
  }
  await time.tickAsync(1000);
  assertEquals(await outcome, "timeout");
  assertEquals((await setup.next()).messageType, "cancel");
});

Deno.test("request() times out after maxTotalMs despite updates", async () => {
  using time = new FakeTime();
  await using setup = setUp();
  let onUpdate = (): void => {};
  const outcome = codeOf(setup.peer.request(BOB.did, null, {
    timeoutMs: 1000,
    maxTotalMs: 2000,
    onUpdate: () => onUpdate(),
  }));
  const request = await setup.next();
  for (let round = 0; round < 2; round++) {
    await time.tickAsync(900);
    const updated = new Promise<void>((resolve) => onUpdate = resolve);
    await setup.remote.send(await answerFrom(BOB, request, { messageType: "update" }));
    await updated;
  }
  await time.tickAsync(200);
  assertEquals(await outcome, "timeout");
  assertEquals((await setup.next()).messageType, "cancel");
});

Deno.test("request() rejects with capacity_exceeded above maxPending", async () => {
  await using setup = setUp({ maxPending: 2 });
  const pending = [setup.peer.request(BOB.did, 1), setup.peer.request(BOB.did, 2)];
  assertEquals(await codeOf(setup.peer.request(BOB.did, 3)), "capacity_exceeded");
  for (let count = 0; count < 2; count++) {
    await setup.remote.send(await answerFrom(BOB, await setup.next()));
  }
  await Promise.all(pending);
  const next = setup.peer.request(BOB.did, 4);
  await setup.remote.send(await answerFrom(BOB, await setup.next()));
  await next;
});

Deno.test("request() rejects if the request cannot be sent", async () => {
  const [transport, remote] = createChannelPair({ capacity: 1, overflow: "error" });
  await using setup = setUp({ transport });
  // The channel has space for one request. The requests are signed concurrently, so either request
  // can be sent first.
  const codes = [1, 2].map((payload) => codeOf(setup.peer.request(BOB.did, payload)));
  assertEquals(await Promise.race(codes), "capacity_exceeded");
  await remote.close();
  assertEquals((await Promise.all(codes)).toSorted(), ["capacity_exceeded", "transport_closed"]);
});

Deno.test("request() rejects with transport_closed if the transport ends or the peer closes", async () => {
  const ended = setUp();
  const pending = codeOf(ended.peer.request(BOB.did, null));
  await ended.next();
  await ended.remote.close();
  assertEquals(await pending, "transport_closed");
  assertEquals(await codeOf(ended.peer.request(BOB.did, null)), "transport_closed");
  await ended.peer.close();

  const closed = setUp();
  const answer = codeOf(closed.peer.request(BOB.did, null));
  await closed.next();
  await closed.peer.close();
  assertEquals(await answer, "transport_closed");
  assertEquals(await codeOf(closed.peer.request(BOB.did, null)), "transport_closed");
  await closed.peer.close();
  assertEquals([...ended.errors, ...closed.errors], []);
});

Deno.test("request() returns a response that is the last message before the transport ends", async () => {
  await using setup = setUp();
  const answer = setup.peer.request(BOB.did, null);
  const request = await setup.next();
  await setup.remote.send(await answerFrom(BOB, request, { payload: "last" }));
  await setup.remote.close();
  assertEquals(await answer, "last");
});

Deno.test("request() throws if an argument is invalid", async () => {
  await using setup = setUp();
  const { peer } = setup;
  for (const messageType of ["", "update", "response", "error", "cancel"]) {
    await assertRejects(() => peer.request(BOB.did, null, { messageType }), TypeError);
  }
  for (const ms of [0, -1, NaN]) {
    await assertRejects(() => peer.request(BOB.did, null, { timeoutMs: ms }), RangeError);
    await assertRejects(() => peer.request(BOB.did, null, { maxTotalMs: ms }), RangeError);
  }
  assertEquals(await codeOf(peer.request("bob", null)), "invalid_message");
});

Deno.test("createPeer() throws if an option is invalid", () => {
  const [transport] = createChannelPair();
  const valid = { signer: ANN, verifier: verifierOf(ANN), transport, protocol: PROTOCOL };
  const invalid: Record<string, unknown>[] = [
    { signer: {} },
    { verifier: undefined },
    { transport: null },
    { protocol: "" },
    { onMessage: "log" },
    { onError: 5 },
  ];
  for (const option of invalid) {
    assertThrows(() => createPeer({ ...valid, ...option } as PeerOptions), TypeError);
  }
  const limits = [
    ...["maxPending", "maxServing", "maxServingPerSender", "maxVerifying"],
    ...["maxServingBytes", "maxVerifyingBytes"],
    ...["maxQueuedUpdates", "maxQueuedUpdateBytes", "updateTimeoutMs"],
    ...["verifyTimeoutMs", "sendTimeoutMs", "closeTimeoutMs"],
  ];
  for (const name of limits) {
    for (const value of [0, -1, NaN, "5"]) {
      const error = assertThrows(
        () => createPeer({ ...valid, [name]: value } as PeerOptions),
        RangeError,
      );
      assert(error.message.startsWith(`"${name}" must be`));
    }
  }
});
