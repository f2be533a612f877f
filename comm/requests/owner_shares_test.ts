import { assertEquals } from "@std/assert";
import { combineResolvers, createSuccess } from "../did/resolver.ts";
import { didKeyResolver } from "../did/key.ts";
import { createVerifier, type MessageVerifier, ReplayGuard } from "../policy.ts";
import { createSigner, type MessageSigner } from "../signing/signing.ts";
import { createChannelPair } from "../transport/channel.ts";
import { ANN, answerFrom, BOB, requestFrom, setUp } from "../testdata/peers.ts";

const SEED = new Uint8Array(32).fill(4);
const PUBLIC_KEY = (await createSigner({ seed: SEED })).did.slice("did:key:".length);

function createWebSigner(did: string): Promise<MessageSigner> {
  return createSigner({ seed: SEED, did, keyId: `${did}#key` });
}

function createWebVerifier(): MessageVerifier {
  const resolve = (did: string) => {
    const id = `${did}#key`;
    const method = { id, type: "Multikey", controller: did, publicKeyMultibase: PUBLIC_KEY };
    return Promise.resolve(createSuccess({ id: did, authentication: [method] }));
  };
  return createVerifier({
    recipient: ANN.did,
    resolver: combineResolvers({ key: didKeyResolver, web: { resolve } }),
    replayGuard: new ReplayGuard(),
  });
}

const NAMES = ["did:web:a.shop.com", "did:web:shop.com:b"];

Deno.test("the requests of all senders of one domain use one share of maxServing", async () => {
  await using setup = setUp({ verifier: createWebVerifier(), maxServing: 4 });
  const served: string[] = [];
  setup.peer.serve(({ sender }, { signal }) => {
    served.push(sender);
    if (sender === BOB.did) return "bob";
    return new Promise((_, reject) =>
      signal.addEventListener("abort", () => reject(signal.reason), { once: true })
    );
  });
  for (const name of [...NAMES, ...NAMES]) {
    await setup.remote.send(await requestFrom(await createWebSigner(name)));
  }
  for (let rejected = 0; rejected < 2; rejected++) {
    assertEquals((await setup.next()).messageType, "error");
  }
  await setup.remote.send(await requestFrom(BOB));
  assertEquals((await setup.next()).payload, "bob");
  // The signatures are verified at the same time, so any two of the four requests may be first.
  assertEquals([served.length, served.at(-1)], [3, BOB.did]);
});

Deno.test("the messages of all senders of one domain use one share of onMessage", async () => {
  const called: string[] = [];
  const done = Promise.withResolvers<void>();
  const [release, released] = ((): [() => void, Promise<void>] => {
    const { resolve, promise } = Promise.withResolvers<void>();
    return [resolve, promise];
  })();
  await using setup = setUp({
    verifier: createWebVerifier(),
    maxServing: 4,
    onMessage: async ({ sender }) => {
      called.push(sender);
      if (sender === BOB.did) done.resolve();
      else await released;
    },
  });
  for (const name of [...NAMES, ...NAMES]) {
    const signer = await createWebSigner(name);
    await setup.remote.send(await requestFrom(signer, { protocol: "agent.chat.v1" }));
  }
  await setup.remote.send(await requestFrom(BOB, { protocol: "agent.chat.v1" }));
  await done.promise;
  assertEquals(called.filter((sender) => sender !== BOB.did).length, 2);
  release();
});

Deno.test("a peer serves a request only if the verifier returns exactly true", async () => {
  for (const ok of ["true", 1, {}, undefined]) {
    const result = {
      ok,
      error: new Error("not verified"),
      commit: () => Promise.resolve(),
      abort: () => Promise.resolve(),
    };
    const verifier = {
      rejectsReplays: true,
      begin: () => Promise.resolve(result),
      verify: () => Promise.resolve(result),
    };
    const reported = Promise.withResolvers<unknown>();
    const served: unknown[] = [];
    await using setup = setUp({
      // The cast stands for a verifier that is written in JavaScript.
      verifier: verifier as unknown as MessageVerifier,
      onMessage: (message) => void served.push(message),
      onError: reported.resolve,
    });
    setup.peer.serve((request) => {
      served.push(request);
      return null;
    });
    await setup.remote.send(await requestFrom(BOB));
    await setup.remote.send(await requestFrom(BOB, { protocol: "agent.chat.v1" }));
    assertEquals(await reported.promise, result.error);
    assertEquals(served, []);
    const answer = setup.peer.request(BOB.did, null, { timeoutMs: 20 });
    const request = await setup.next();
    await setup.remote.send(await answerFrom(BOB, request));
    assertEquals(await answer.catch(({ code }) => code), "timeout");
  }
});

Deno.test("a peer reports the rejection of a transport's release method", async () => {
  const [transport, remote] = createChannelPair();
  const failure = new Error("release failed");
  const reported = Promise.withResolvers<unknown>();
  const releasing = {
    send: transport.send.bind(transport),
    receive: transport.receive.bind(transport),
    close: transport.close.bind(transport),
    release: () => Promise.reject(failure),
    [Symbol.asyncIterator]: transport[Symbol.asyncIterator].bind(transport),
    [Symbol.asyncDispose]: transport[Symbol.asyncDispose].bind(transport),
  };
  await using setup = setUp({ transport: releasing, onError: reported.resolve });
  setup.peer.serve(() => null);
  await remote.send(await requestFrom(BOB));
  assertEquals(await reported.promise, failure);
});
