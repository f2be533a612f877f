import { assert, assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { AgentCommMessage } from "../message/message.ts";
import { formatMessage } from "../message/message_json.ts";
import { createVerifier, ReplayGuard } from "../policy.ts";
import type { PeerOptions } from "../requests.ts";
import { CommError } from "../shared/error.ts";
import { combineResolvers, createSuccess, type Resolvable } from "../did/resolver.ts";
import { didKeyResolver } from "../did/key.ts";
import { createSigner, type MessageSigner } from "../signing/signing.ts";
import { ANN, answerFrom, BOB, type PeerSetup, requestFrom, setUp } from "../testdata/peers.ts";

/** Seed of the key of each did:web. */
const SEED = new Uint8Array(32).fill(4);
const PUBLIC_KEY = (await createSigner({ seed: SEED })).did.slice("did:key:".length);

/** Creates a signer whose DID is a did:web. */
function createWebSigner(did: string): Promise<MessageSigner> {
  return createSigner({ seed: SEED, did, keyId: `${did}#key` });
}

function documentOf(did: string): object {
  const id = `${did}#key`;
  const method = { id, type: "Multikey", controller: did, publicKeyMultibase: PUBLIC_KEY };
  return { id: did, verificationMethod: [method], authentication: [id] };
}

/** A resolver for did:web that does not respond for a name until the test releases the name. */
class WebResolver implements Resolvable {
  /** Names whose server does not respond. */
  readonly hanging = new Set<string>();
  #released = Promise.withResolvers<void>();

  async resolve(did: string): Promise<ReturnType<typeof createSuccess>> {
    while (Array.from(this.hanging).some((name) => did.includes(name))) {
      await this.#released.promise;
    }
    return createSuccess(documentOf(did));
  }

  release(): void {
    this.hanging.clear();
    this.#released.resolve();
    this.#released = Promise.withResolvers();
  }
}

interface WebSetup extends PeerSetup {
  readonly web: WebResolver;
}

function setUpWeb(options: Partial<PeerOptions> = {}): WebSetup {
  const web = new WebResolver();
  const verifier = createVerifier({
    recipient: ANN.did,
    resolver: combineResolvers({ key: didKeyResolver, web, plc: web }),
    replayGuard: new ReplayGuard(),
  });
  return Object.assign(setUp({ verifier, ...options }), { web });
}

/** Creates a message that claims another sender than its signer. */
async function forge(sender: string, init: object = {}): Promise<AgentCommMessage> {
  const message = await requestFrom(BOB, init);
  return new AgentCommMessage({ ...message, sender });
}

function codesOf(errors: readonly unknown[]): string[] {
  return errors.map((error) => error instanceof CommError ? error.code : String(error));
}

function countOf(errors: readonly unknown[], code: string): number {
  return codesOf(errors).filter((each) => each === code).length;
}

async function assertServed({ remote, next }: PeerSetup, signer: MessageSigner): Promise<void> {
  const request = await requestFrom(signer);
  await remote.send(request);
  const { messageType, correlationId } = await next();
  assertEquals([messageType, correlationId], ["response", request.id]);
}

/** Sends messages without waiting for the peer. */
async function flood({ remote }: PeerSetup, messages: readonly AgentCommMessage[]): Promise<void> {
  for (const message of messages) await remote.send(message);
}

/** Advances the clock until a promise is settled. Returns the elapsed time, in milliseconds. */
async function timeUntil(time: FakeTime, work: Promise<unknown>): Promise<number> {
  let isSettled = false;
  const settle = () => isSettled = true;
  work.then(settle, settle);
  const start = time.now;
  while (!isSettled && time.now - start < 60_000) await time.tickAsync(5);
  await work;
  return time.now - start;
}

Deno.test("forged messages of many senders whose servers do not respond do not delay other senders", async () => {
  await using setup = setUpWeb();
  setup.web.hanging.add("tarpit");
  setup.peer.serve(() => "served");
  for (let n = 0; n < 200; n++) await setup.remote.send(await forge(`did:web:tarpit${n}.com`));
  await assertServed(setup, BOB);
  // The messages above the limit are dropped immediately, and the others are still in progress.
  assertEquals(setup.errors.length, 200 - 32);
  assertEquals(countOf(setup.errors, "capacity_exceeded"), 200 - 32);
});

Deno.test("forged messages of many hosts of one domain do not use the share of another domain", async () => {
  await using setup = setUpWeb();
  setup.web.hanging.add("tarpit");
  setup.peer.serve(() => "served");
  for (let n = 0; n < 40; n++) {
    await setup.remote.send(await forge(`did:web:x${n}.tarpit.com`));
    await setup.remote.send(await forge(`did:web:tarpit.com:agents:${n}`));
  }
  await assertServed(setup, await createWebSigner("did:web:honest.com"));
  assertEquals(countOf(setup.errors, "capacity_exceeded"), 80 - 8);
});

Deno.test("forged messages in the name of one sender use only its share, also in bytes", async () => {
  for (const [count, payload] of [[300, null], [20, "x".repeat(500_000)]] as const) {
    await using setup = setUpWeb();
    setup.web.hanging.add("known");
    setup.peer.serve(() => "served");
    for (let n = 0; n < count; n++) {
      await setup.remote.send(await forge("did:web:known.com", { payload }));
    }
    await assertServed(setup, BOB);
    const kept = payload === null ? 256 : 4;
    assertEquals(countOf(setup.errors, "capacity_exceeded"), count - kept);
  }
});

Deno.test("a known sender that becomes slow delays other senders for at most one second", async () => {
  using time = new FakeTime();
  await using setup = setUpWeb();
  setup.peer.serve(() => "served");
  await assertServed(setup, await createWebSigner("did:web:known.com"));
  setup.web.hanging.add("known");
  for (let n = 0; n < 100; n++) await setup.remote.send(await forge("did:web:known.com"));
  const served = assertServed(setup, BOB);
  for (let n = 0; n < 2; n++) await time.tickAsync(500);
  await served;
  assertEquals(codesOf(setup.errors), []);
  for (let n = 0; n < 300; n++) await setup.remote.send(await forge("did:web:known.com"));
  const servedNext = assertServed(setup, BOB);
  // The peer lets other tasks run after each 64 messages that it drops.
  for (let n = 0; n < 3; n++) await time.tickAsync(1);
  await servedNext;
  assertEquals(countOf(setup.errors, "capacity_exceeded"), 400 - 256);
});

Deno.test("capacity for slow senders is available again when their messages have timed out", async () => {
  using time = new FakeTime();
  await using setup = setUpWeb({ verifyTimeoutMs: 5000 });
  setup.web.hanging.add("tarpit");
  setup.peer.serve(() => "served");
  for (let n = 0; n < 32; n++) await setup.remote.send(await forge(`did:web:tarpit${n}.com`));
  await assertServed(setup, BOB);
  const late = await createWebSigner("did:web:late.com");
  await setup.remote.send(await requestFrom(late));
  await assertServed(setup, BOB);
  assertEquals(codesOf(setup.errors), ["capacity_exceeded"]);
  await time.tickAsync(5000);
  await assertServed(setup, late);
  assertEquals(countOf(setup.errors, "timeout"), 32);
});

Deno.test("forged messages do not keep out the sender whose name they use", async () => {
  await using setup = setUpWeb();
  setup.web.hanging.add("honest");
  setup.peer.serve(() => "served");
  for (let n = 0; n < 50; n++) await setup.remote.send(await forge("did:web:honest.com"));
  const honest = await createWebSigner("did:web:honest.com");
  const served = assertServed(setup, honest);
  setup.web.release();
  await served;
  assertEquals(codesOf(setup.errors), Array.from({ length: 50 }, () => "signature_invalid"));
  // The keys are available now, so no number of forged messages causes a message to be dropped.
  for (let n = 0; n < 500; n++) await setup.remote.send(await forge("did:web:honest.com"));
  await assertServed(setup, honest);
  assertEquals(countOf(setup.errors, "capacity_exceeded"), 0);
});

Deno.test("no message of a sender whose keys are available is dropped", async () => {
  const honest = await createWebSigner("did:web:honest.com");
  await using setup = setUpWeb({ maxVerifying: 2, maxVerifyingBytes: 2000, maxPending: 500 });
  const updates: unknown[] = [];
  const answer = setup.peer.request(honest.did, null, { onUpdate: (n) => void updates.push(n) });
  const request = await setup.next();
  for (let payload = 0; payload < 500; payload++) {
    await setup.remote.send(await answerFrom(honest, request, { messageType: "update", payload }));
  }
  await setup.remote.send(await answerFrom(honest, request));
  await answer;
  assertEquals(updates, Array.from({ length: 500 }, (_, n) => n));
  assertEquals(setup.errors, []);
});

Deno.test("replies to a pending request wait for the keys of their sender", async () => {
  const honest = await createWebSigner("did:web:honest.com");
  await using setup = setUpWeb();
  setup.web.hanging.add("honest");
  for (let n = 0; n < 400; n++) await setup.remote.send(await forge(honest.did));
  const updates: unknown[] = [];
  const answer = setup.peer.request(honest.did, null, { onUpdate: (n) => void updates.push(n) });
  const request = await setup.next();
  for (let payload = 0; payload < 100; payload++) {
    await setup.remote.send(await answerFrom(honest, request, { messageType: "update", payload }));
  }
  await setup.remote.send(await answerFrom(honest, request, { payload: "done" }));
  setup.web.release();
  assertEquals(await answer, "done");
  assertEquals(updates, Array.from({ length: 100 }, (_, n) => n));
});

Deno.test("proven senders of one domain that become slow delay other senders for one second", async () => {
  using time = new FakeTime();
  await using setup = setUpWeb({ maxVerifying: 4 });
  setup.peer.serve(() => "served");
  const names = Array.from({ length: 20 }, (_, n) => `did:web:x${n}.known.com`);
  for (const name of names) await assertServed(setup, await createWebSigner(name));
  const first = await createWebSigner("did:web:x0.known.com");
  const forged: AgentCommMessage[] = [];
  for (let n = 0; n < 15; n++) {
    for (const name of names) forged.push(await forge(name));
  }
  setup.web.hanging.add("known");
  const flooding = flood(setup, forged);
  assert(await timeUntil(time, flooding.then(() => assertServed(setup, BOB))) < 3000);
  // A message of the domain is verified, but the domain stays slow for a minute.
  await time.tickAsync(10_000);
  setup.web.release();
  await timeUntil(time, assertServed(setup, first));
  setup.web.hanging.add("known");
  await flood(setup, forged.slice(0, 60));
  assert(await timeUntil(time, assertServed(setup, BOB)) < 900);
});

Deno.test("forged replies to a pending request delay other senders for one second", async () => {
  using time = new FakeTime();
  await using setup = setUpWeb({ maxVerifying: 4 });
  setup.web.hanging.add("slow");
  setup.peer.serve(() => "served");
  const answer = setup.peer.request("did:web:slow.com", null);
  const { id: correlationId } = await setup.next();
  const forged: AgentCommMessage[] = [];
  for (let n = 0; n < 300; n++) {
    forged.push(await forge("did:web:slow.com", { messageType: "update", correlationId }));
  }
  const flooding = flood(setup, forged);
  assert(await timeUntil(time, flooding.then(() => assertServed(setup, BOB))) < 3000);
  await time.tickAsync(10_000);
  await flood(setup, forged.slice(0, 60));
  assert(await timeUntil(time, assertServed(setup, BOB)) < 900);
  await setup.peer.close();
  await answer.catch(() => {});
});

Deno.test("a few messages of proven senders whose server has become slow delay no other sender", async () => {
  await using setup = setUpWeb({ maxVerifying: 8 });
  setup.peer.serve(() => "served");
  await assertServed(setup, await createWebSigner("did:web:known.com"));
  setup.web.hanging.add("known");
  for (let n = 0; n < 32; n++) await setup.remote.send(await forge("did:web:known.com"));
  await assertServed(setup, BOB);
  assertEquals(setup.errors, []);
});

Deno.test("messages that fail to resolve or are never verified free their capacity", async () => {
  await using setup = setUpWeb();
  setup.peer.serve(() => "served");
  const unknown = { messageType: "response", correlationId: "unknown" };
  for (let n = 0; n < 200; n++) {
    await setup.remote.send(await forge(`did:web:wrong${n}.com`));
    await setup.remote.send(await forge(`did:example:${n}`));
    await setup.remote.send(await forge(`did:web:ignored${n}.com`, unknown));
  }
  await assertServed(setup, await createWebSigner("did:web:honest.com"));
  const expected = ["capacity_exceeded", "did_method_unsupported", "signature_invalid"];
  assert(codesOf(setup.errors).every((code) => expected.includes(code)));
});

Deno.test("close() ends the verification of slow senders", async () => {
  const setup = setUpWeb();
  setup.web.hanging.add("tarpit");
  const served = setup.peer.serve(() => "served");
  for (let n = 0; n < 40; n++) await setup.remote.send(await forge(`did:web:tarpit${n}.com`));
  await assertServed(setup, BOB);
  await setup.peer.close();
  await served;
});

Deno.test("forged messages of a few domains do not keep out a sender of another domain", async () => {
  const overhead = formatMessage(await forge("did:web:tarpit0.com:x0", { payload: "" })).length;
  // Two messages of half a share use up the share of a domain.
  for (const [count, payload] of [[8, null], [2, "x".repeat(1_048_576 - overhead)]] as const) {
    await using setup = setUpWeb();
    setup.web.hanging.add("tarpit");
    setup.peer.serve(() => "served");
    for (let n = 0; n < count; n++) {
      for (let domain = 0; domain < 4; domain++) {
        await setup.remote.send(await forge(`did:web:tarpit${domain}.com:x${n}`, { payload }));
      }
    }
    await assertServed(setup, await createWebSigner("did:web:honest.com"));
    assertEquals(codesOf(setup.errors), ["capacity_exceeded"]);
  }
});

Deno.test("forged messages with names of another method do not keep out a did:web", async () => {
  await using setup = setUpWeb();
  setup.web.hanging.add("plc");
  setup.peer.serve(() => "served");
  for (let n = 0; n < 100; n++) await setup.remote.send(await forge(`did:plc:x${n}`));
  await assertServed(setup, await createWebSigner("did:web:honest.com"));
  assertEquals(countOf(setup.errors, "capacity_exceeded"), 100 - 8);
});

Deno.test("excess messages of proven senders that become slow delay other senders only briefly", async () => {
  using time = new FakeTime();
  await using setup = setUpWeb();
  setup.peer.serve(() => "served");
  await assertServed(setup, await createWebSigner("did:web:known.com"));
  setup.web.hanging.add("known");
  const forged: AgentCommMessage[] = [];
  for (let n = 0; n < 400; n++) forged.push(await forge("did:web:known.com"));
  const flooding = flood(setup, forged);
  const elapsedMs = await timeUntil(time, flooding.then(() => assertServed(setup, BOB)));
  assert(elapsedMs <= 200, `${elapsedMs} ms`);
});

Deno.test("messages that keep the peer from reading for less than a second within their shares are not dropped", async () => {
  using time = new FakeTime();
  await using setup = setUpWeb({ maxVerifying: 4 });
  setup.peer.serve(() => "served");
  const names = Array.from({ length: 4 }, (_, n) => `did:web:known${n}.com`);
  for (const name of names) await assertServed(setup, await createWebSigner(name));
  setup.web.hanging.add("known");
  const [first = BOB] = await Promise.all(names.map((name) => createWebSigner(name)));
  for (const name of names) await setup.remote.send(await forge(name));
  const served = assertServed(setup, first);
  await time.tickAsync(900);
  setup.web.release();
  await timeUntil(time, served);
  assertEquals(countOf(setup.errors, "capacity_exceeded"), 0);
});

Deno.test("late domains make room immediately for a minute", async () => {
  using time = new FakeTime();
  await using setup = setUpWeb({ maxVerifying: 4 });
  setup.web.hanging.add("tarpit");
  setup.peer.serve(() => "served");
  const names = Array.from({ length: 4 }, (_, n) => `did:web:tarpit${n}.com`);
  for (const name of names) await setup.remote.send(await forge(name));
  await assertServed(setup, BOB);
  await time.tickAsync(1000);
  await assertServed(setup, await createWebSigner("did:web:honest.com"));
  await setup.remote.send(await forge(`${names[0]}:again`));
  await assertServed(setup, await createWebSigner("did:web:other.com"));
  assertEquals(countOf(setup.errors, "capacity_exceeded"), 2);
});

Deno.test("a sender that has been slow for two seconds makes room for another sender", async () => {
  using time = new FakeTime();
  await using setup = setUpWeb({ maxVerifying: 4 });
  setup.web.hanging.add("tarpit");
  setup.peer.serve(() => "served");
  for (let n = 0; n < 4; n++) await setup.remote.send(await forge(`did:web:tarpit${n}.com`));
  await assertServed(setup, BOB);
  await time.tickAsync(2000);
  assertEquals(setup.errors, []);
  await assertServed(setup, await createWebSigner("did:web:honest.com"));
  assertEquals(codesOf(setup.errors), ["capacity_exceeded"]);
});
