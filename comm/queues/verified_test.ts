import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { AgentCommMessage } from "../message/message.ts";
import { createVerifier, type MessageVerifier, ReplayGuard, type ReplayStore } from "../policy.ts";
import { memoryQueue, type QueueDelivery, type QueueHandler, Reject, verified } from "../queues.ts";
import { CommError } from "../shared/error.ts";
import { signMessage } from "../signing/signing.ts";
import { ANN, BOB, EVE, PROTOCOL } from "../testdata/peers.ts";

function unsigned(): AgentCommMessage {
  const addressed = { sender: ANN.did, recipient: BOB.did, protocol: PROTOCOL };
  return new AgentCommMessage({ ...addressed, messageType: "task_assign", payload: null });
}

function deliveryOf(message: AgentCommMessage): QueueDelivery {
  return { message, attempt: 1, signal: new AbortController().signal };
}

/** A handler under test, and the number of calls to the function that it wraps. */
function setUp(replayGuard: ReplayStore = new ReplayGuard(), handle: () => void = () => {}) {
  const verifier = createVerifier({ recipient: BOB.did, replayGuard });
  let calls = 0;
  const handler = verified(verifier, () => {
    calls++;
    handle();
  });
  return { verifier, handler, calls: () => calls };
}

async function run(handler: QueueHandler, message: AgentCommMessage): Promise<void> {
  await handler(deliveryOf(message));
}

Deno.test("verified() calls the handler once and then acknowledges redeliveries", async () => {
  const { handler, calls } = setUp();
  const message = await signMessage(unsigned(), ANN);
  await run(handler, message);
  await run(handler, message);
  assertEquals(calls(), 1);
});

Deno.test("verified() does not acknowledge a message that another process has reserved", async () => {
  const { handler, verifier, calls } = setUp();
  const message = await signMessage(unsigned(), ANN);
  const reserved = await verifier.begin(message);
  assert(reserved.ok);
  const error = await assertRejects(() => run(handler, message), CommError);
  assertEquals([error.code, calls()], ["replay_detected", 0]);
  await reserved.abort();
  await run(handler, message);
  assertEquals(calls(), 1);
});

Deno.test("verified() rejects messages that fail verification permanently", async () => {
  const { handler, calls } = setUp();
  const forged = new AgentCommMessage({ ...await signMessage(unsigned(), ANN), sender: EVE.did });
  for (const message of [unsigned(), forged]) {
    const error = await assertRejects(() => run(handler, message), Reject);
    assert(error.cause instanceof CommError);
  }
  assertEquals(calls(), 0);
});

Deno.test("verified() retries messages whose verification fails temporarily", async () => {
  const message = await signMessage(unsigned(), ANN);
  const full = new ReplayGuard({ maxEntries: 1 });
  await full.begin("did:a:b", "1", Infinity);
  const failing: ReplayStore = {
    ttlMs: 1e9,
    begin: () => Promise.reject(new Error("lost")),
    commit: () => {},
    abort: () => {},
  };
  for (
    const [store, code] of [[full, "replay_guard_full"], [failing, "replay_store_failed"]] as const
  ) {
    const error = await assertRejects(() => run(setUp(store).handler, message), CommError);
    assertEquals(error.code, code);
  }
  const unresolvable: MessageVerifier = createVerifier({
    recipient: BOB.did,
    resolver: {
      resolve: (did: string) =>
        Promise.reject(
          new CommError({
            code: "did_resolution_failed",
            details: { did, reason: "offline" },
            message: "offline",
          }),
        ),
    },
  });
  const error = await assertRejects(
    () => run(verified(unresolvable, () => {}), message),
    CommError,
  );
  assertEquals(error.code, "did_resolution_failed");
});

Deno.test("verified() retries only verified messages that become valid soon", async () => {
  const cases = [
    [90_000, true, CommError],
    [90_000, false, Reject],
    [121_000, true, Reject],
    [3_600_000, false, Reject],
  ] as const;
  for (const [aheadMs, isGenuine, expected] of cases) {
    const message = await signMessage(unsigned(), ANN);
    let nowMs = message.timestampMs - aheadMs;
    const verifier = createVerifier({ recipient: BOB.did, now: () => nowMs });
    const sent = isGenuine ? message : new AgentCommMessage({ ...message, payload: "forged" });
    const handler = verified(verifier, () => {});
    const error = await assertRejects(() => run(handler, sent), expected);
    const cause = error instanceof Reject ? error.cause : error;
    assertEquals(cause instanceof CommError && cause.code, "not_yet_valid");
    nowMs = message.timestampMs - 60_000;
    if (isGenuine) await run(handler, sent);
  }
});

Deno.test("verified() retries a message while the clock is invalid", async () => {
  const message = await signMessage(unsigned(), ANN);
  let time: unknown = NaN;
  // The types do not permit some times, but clocks in JavaScript can return them.
  const verifier = createVerifier({ recipient: BOB.did, now: () => time as number });
  let calls = 0;
  const handler = verified(verifier, () => void calls++);
  for (time of [NaN, null, "0", -Infinity]) {
    // Any error but Reject is retried.
    await assertRejects(() => run(handler, message), TypeError, '"now()"');
  }
  assertEquals(calls, 0);
  time = Date.now();
  await run(handler, message);
  assertEquals(calls, 1);
});

Deno.test("verified() retries a message if allow throws, and rejects it if allow returns false", async () => {
  const message = await signMessage(unsigned(), ANN);
  const cases = [
    [() => Promise.reject(new Error("the database is down")), CommError],
    [() => false, Reject],
  ] as const;
  for (const [allow, expected] of cases) {
    const verifier = createVerifier({ recipient: BOB.did, allow });
    await assertRejects(() => run(verified(verifier, () => {}), message), expected);
  }
});

Deno.test("verified() retries a message if allow rejects with undefined", async () => {
  const allow = () => Promise.reject(undefined);
  const handler = verified(createVerifier({ recipient: BOB.did, allow }), () => {});
  const error = await assertRejects(
    async () => await run(handler, await signMessage(unsigned(), ANN)),
    CommError,
  );
  assertEquals(error.code, "sender_refused");
});

Deno.test("verified() passes on the message that was verified, even if the delivery changes", async () => {
  const genuine = await signMessage(unsigned(), ANN);
  const other = new AgentCommMessage({ ...genuine, payload: "other" });
  const messages = [genuine, other];
  const delivery = Object.defineProperty(deliveryOf(genuine), "message", {
    get: () => messages.shift() ?? other,
  });
  const received: unknown[] = [];
  const verifier = createVerifier({ recipient: BOB.did });
  await verified(verifier, ({ message }) => void received.push(message.payload))(delivery);
  assertEquals(received, [null]);
});

Deno.test("verified() calls the handler only if the verifier returns exactly true", async () => {
  for (const ok of ["true", 1, {}]) {
    const result = { ok, reason: "expired", error: new Error("not verified") };
    const verifier = {
      begin: () => Promise.resolve(result),
      verify: () => Promise.resolve(result),
    };
    let calls = 0;
    // The cast stands for a verifier that is written in JavaScript.
    const handler = verified(verifier as unknown as MessageVerifier, () => void calls++);
    await assertRejects(async () => await handler(deliveryOf(unsigned())));
    assertEquals(calls, 0);
  }
});

Deno.test("verified() releases a message whose handler throws", async () => {
  for (const failure of [new Error("disk full"), new Reject("poison")]) {
    let failures = 1;
    const { handler, calls } = setUp(new ReplayGuard(), () => {
      if (failures-- > 0) throw failure;
    });
    const message = await signMessage(unsigned(), ANN);
    assertEquals(await run(handler, message).catch((error) => error), failure);
    await run(handler, message);
    assertEquals(calls(), 2);
  }
});

Deno.test("verified() reports both errors if the message cannot be released", async () => {
  const guard = new ReplayGuard();
  const store: ReplayStore = {
    ttlMs: guard.ttlMs,
    begin: (sender, id, untilMs) => guard.begin(sender, id, untilMs),
    commit: (sender, id) => guard.commit(sender, id),
    abort: () => Promise.reject(new Error("lost")),
  };
  const { handler } = setUp(store, () => {
    throw new Reject("poison");
  });
  const message = await signMessage(unsigned(), ANN);
  const error = await assertRejects(() => run(handler, message), AggregateError);
  assertEquals(error.errors.map(String), [
    "Reject: poison",
    'CommError: Cannot track message: "abort" of the replay store threw an error',
  ]);
});

Deno.test("verified() accepts a function that returns the verifier of a delivery", async () => {
  const replayGuard = new ReplayGuard();
  const verifier = createVerifier({ recipient: BOB.did, replayGuard });
  const handled: string[] = [];
  const handler = verified(({ message }) => {
    if (message.recipient !== BOB.did) throw new Reject("unknown recipient");
    return verifier;
  }, ({ message }) => {
    handled.push(message.id);
  });
  const message = await signMessage(unsigned(), ANN);
  await run(handler, message);
  const other = new AgentCommMessage({ ...unsigned(), recipient: EVE.did });
  await assertRejects(() => run(handler, other), Reject, "unknown recipient");
  assertEquals(handled, [message.id]);
});

Deno.test("verified() rejects arguments of the wrong type", () => {
  // @ts-expect-error a verifier is required
  assertThrows(() => verified({}, () => {}), TypeError, '"verifier"');
  // @ts-expect-error a handler is required
  assertThrows(() => verified(() => setUp().verifier), TypeError, '"handler"');
});

Deno.test("A redriven message is verified and processed after the cause is removed", async () => {
  await using queue = memoryQueue({ inboxOf: () => "bob", onError: () => {} });
  let isBroken = true;
  const stopping: AbortController[] = [];
  const verifier = createVerifier({ recipient: BOB.did, replayGuard: new ReplayGuard() });
  const handler = verified(verifier, () => {
    stopping.at(-1)?.abort();
    if (isBroken) throw new Reject("broken");
  });
  const consume = async (): Promise<void> => {
    const controller = new AbortController();
    stopping.push(controller);
    await queue.consume("bob", handler, { signal: controller.signal });
  };
  await queue.send(await signMessage(unsigned(), ANN));
  await consume();
  assertEquals((await queue.deadLetters("bob")).length, 1);
  isBroken = false;
  assertEquals(await queue.redrive("bob"), 1);
  await consume();
  assertEquals((await queue.deadLetters("bob")).length, 0);
});
