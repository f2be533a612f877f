import { sleep } from "@parley/internal/timers";
import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import type { MessageVerifier } from "../policy.ts";
import { CommError } from "../shared/error.ts";
import { AgentCommMessage } from "../message/message.ts";
import { answerFrom, BOB, EVE, requestFrom, setUp, verifierOf } from "../testdata/peers.ts";
import { ANN } from "../testdata/peers.ts";
import { createChannelPair } from "../transport/channel.ts";
import type { MessageTransport } from "../transport/transport.ts";

/** A verifier that does not finish verifying messages from Eve until the test releases them. */
function createSlowVerifier() {
  const inner = verifierOf(ANN);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const senders: string[] = [];
  const arrival = Promise.withResolvers<void>();
  const verifier: MessageVerifier = {
    rejectsReplays: true,
    verify: (message, options) => inner.verify(message, options),
    async begin(message, options) {
      senders.push(message.sender === BOB.did ? "bob" : "eve");
      arrival.resolve();
      if (message.sender === EVE.did) await released;
      return await inner.begin(message, options);
    },
  };
  return { verifier, senders, release, arrived: arrival.promise };
}

Deno.test("a peer verifies messages of one sender in order and does not delay other senders", async () => {
  const slow = createSlowVerifier();
  await using setup = setUp({ verifier: slow.verifier });
  const served: unknown[] = [];
  setup.peer.serve(({ payload }) => {
    served.push(payload);
    return null;
  });
  await setup.remote.send(await requestFrom(EVE, { payload: 1 }));
  await setup.remote.send(await requestFrom(EVE, { payload: 2 }));
  await setup.remote.send(await requestFrom(BOB, { payload: 3 }));
  await setup.next();
  assertEquals([served, slow.senders], [[3], ["eve", "bob"]]);
  slow.release();
  await setup.next();
  await setup.next();
  assertEquals(served, [3, 1, 2]);
});

Deno.test("a peer stops reading at maxVerifying and at maxVerifyingBytes", async () => {
  for (const limit of [{ maxVerifying: 1 }, { maxVerifyingBytes: 100 }]) {
    const slow = createSlowVerifier();
    await using setup = setUp({ verifier: slow.verifier, ...limit });
    setup.peer.serve(({ sender }) => sender === BOB.did ? "bob" : "eve");
    await setup.remote.send(await requestFrom(EVE));
    await setup.remote.send(await requestFrom(BOB));
    await slow.arrived;
    assertEquals(slow.senders, ["eve"]);
    slow.release();
    // The peer signs the two responses concurrently.
    const payloads = [(await setup.next()).payload, (await setup.next()).payload];
    assertEquals([payloads.toSorted(), slow.senders], [["bob", "eve"], ["eve", "bob"]]);
  }
});

Deno.test("messages whose verification times out are dropped and reported together", async () => {
  using time = new FakeTime();
  const slow = createSlowVerifier();
  await using setup = setUp({ verifier: slow.verifier, verifyTimeoutMs: 1000, maxVerifying: 2 });
  setup.peer.serve(() => "served");
  await setup.remote.send(await requestFrom(EVE));
  await setup.remote.send(await requestFrom(EVE));
  await setup.remote.send(await requestFrom(BOB));
  await slow.arrived;
  await time.tickAsync(1000);
  assertEquals((await setup.next()).payload, "served");
  const codes = setup.errors.map((error) => error instanceof CommError ? error.code : error);
  assertEquals([codes, slow.senders], [["timeout", "timeout"], ["eve", "bob"]]);
});

Deno.test("a peer lets other tasks run while its transport returns invalid or unverified messages", async () => {
  const unknown = await requestFrom(BOB, { messageType: "update", correlationId: "unknown" });
  for (const isInvalid of [true, false]) {
    let received = 0;
    let isEnded = false;
    const transport: MessageTransport = {
      ...createChannelPair()[0],
      send: () => Promise.resolve(),
      receive() {
        if (isEnded) return Promise.resolve(undefined);
        // Without a limit, the peer would never let the timer run.
        isEnded = ++received >= 100_000;
        if (!isInvalid) return Promise.resolve(unknown);
        return Promise.reject(
          new CommError({ code: "too_deep", details: { limit: 1 }, message: "too deep" }),
        );
      },
      close: () => Promise.resolve(),
    };
    await using setup = setUp({ transport });
    const serving = setup.peer.serve(() => null);
    await sleep(0, new AbortController().signal);
    isEnded = true;
    await serving;
    assertEquals(received < 1000, true);
  }
});

Deno.test("a peer releases each received message when its processing has ended", async () => {
  const [transport, remote] = createChannelPair();
  const released: string[] = [];
  const all = Promise.withResolvers<void>();
  await using setup = setUp({
    transport: Object.assign(transport, {
      release({ messageType }: AgentCommMessage) {
        if (released.push(messageType) === 8) all.resolve();
      },
    }),
    onMessage({ payload }) {
      if (payload === "fails") throw new Error("fails");
    },
  });
  setup.peer.serve((_request, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    })
  );
  const served = await requestFrom(BOB);
  const other = { protocol: "other.v1", messageType: "note" };
  const answer = setup.peer.request(BOB.did, null);
  const asked = await remote.receive();
  if (asked === undefined) throw new Error("the peer has closed its transport");
  const canceling = { correlationId: served.id, messageType: "cancel" };
  await remote.send(await requestFrom(BOB, other));
  await remote.send(await requestFrom(BOB, { ...other, payload: "fails" }));
  await remote.send(new AgentCommMessage({ ...await requestFrom(BOB, other), payload: "forged" }));
  await remote.send(served);
  await remote.send(await requestFrom(BOB, canceling));
  await remote.send(await answerFrom(BOB, asked, { messageType: "update" }));
  await remote.send(await answerFrom(BOB, asked));
  await answer;
  await all.promise;
  // The request that the peer has sent is released as well, because it needs no further reply.
  const expected = ["cancel", "note", "note", "note", "request", "request", "response", "update"];
  assertEquals(released.toSorted(), expected);
});

Deno.test("a peer ends if its transport rejects with a value that cannot be read", async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const reason of [proxy, Object.create(null), Symbol("x")]) {
    const [transport] = createChannelPair();
    await using setup = setUp({
      transport: Object.assign(transport, { receive: () => Promise.reject(reason) }),
    });
    await setup.peer.serve(() => null);
    const error = await assertRejects(() => setup.peer.request(BOB.did, null), CommError);
    assertEquals([error.code, setup.errors.length], ["transport_closed", 1]);
  }
});
