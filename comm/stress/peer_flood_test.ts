import { assert, assertEquals } from "@std/assert";
import type { AgentCommMessage } from "../message/message.ts";
import { createPeer, type Peer } from "../requests.ts";
import { CommError } from "../shared/error.ts";
import { createChannelPair } from "../transport/channel.ts";
import type { MessageTransport } from "../transport/transport.ts";
import {
  ANN,
  answerFrom,
  BOB,
  EVE,
  PROTOCOL,
  requestFrom,
  setUp,
  verifierOf,
} from "../testdata/peers.ts";

Deno.test("a peer serves a sender while another sender floods it and reads nothing", async () => {
  const [transport, remote] = createChannelPair({ capacity: 10 });
  await using setup = setUp({ transport, maxServing: 4, maxServingPerSender: 2 });
  let running = 0;
  let mostRunning = 0;
  const isServed = Promise.withResolvers<void>();
  setup.peer.serve(async ({ sender }, { update }) => {
    running++;
    mostRunning = Math.max(mostRunning, running);
    try {
      if (sender === BOB.did) isServed.resolve();
      await update("started");
      return "done";
    } finally {
      running--;
    }
  });
  const [genuine, own] = [await requestFrom(EVE), await requestFrom(BOB)];
  for (let round = 0; round < 200; round++) {
    await remote.send(await requestFrom(EVE, { payload: round }));
    await remote.send(genuine);
    await remote.send({ ...genuine, payload: round } as AgentCommMessage);
    await remote.send(await answerFrom(EVE, own, { payload: round }));
    await remote.send(await requestFrom(EVE, { messageType: "cancel", correlationId: own.id }));
    if (round === 100) await remote.send(own);
  }
  await isServed.promise;
  assert(mostRunning <= 4, `${mostRunning} handlers ran concurrently`);
  // Eve never reads, so the channel's queue to Eve is full, but the peer still receives messages.
  assert(running <= 4);
  await remote.close();
});

Deno.test("two peers that flood each other over small queues do not block each other", async () => {
  const [annSide, bobSide] = createChannelPair({ capacity: 2 });
  function create(signer: typeof ANN, transport: MessageTransport): Peer {
    const peer = createPeer({
      signer,
      verifier: verifierOf(signer),
      transport,
      protocol: PROTOCOL,
      maxServing: 3,
      onError: () => {},
    });
    peer.serve(async ({ payload }, { update }) => {
      await update("started");
      return payload;
    });
    return peer;
  }
  const [ann, bob] = [create(ANN, annSide), create(BOB, bobSide)];
  async function ask(peer: Peer, recipient: string, n: number): Promise<string> {
    try {
      assertEquals(await peer.request(recipient, n, { timeoutMs: 2000 }), n);
      return "answered";
    } catch (error) {
      assert(error instanceof CommError, String(error));
      return error.is("request_failed") ? error.details.code : error.code;
    }
  }
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, (_, n) => [ask(ann, BOB.did, n), ask(bob, ANN.did, n)]).flat(),
  );
  assertEquals(outcomes.length, 200);
  // If three rejections are already waiting, a further rejection is dropped and the rejected
  // request times out. On a slow machine, all requests can time out.
  assertEquals(
    outcomes.filter((outcome) => !["answered", "busy", "timeout"].includes(outcome)),
    [],
  );
  // Both peers respond again when the handlers of requests that timed out have ended.
  async function askUntilServed(peer: Peer, recipient: string): Promise<void> {
    for (let attempt = 0; attempt < 500; attempt++) {
      if (await ask(peer, recipient, attempt) === "answered") return;
    }
    throw new Error("the peer serves no requests after the flood");
  }
  await askUntilServed(ann, BOB.did);
  await askUntilServed(bob, ANN.did);
  await ann.close();
  await bob.close();
});
