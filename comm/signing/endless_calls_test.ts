// Each function that waits for a function of its caller ends if that function never settles.

import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { cachedResolver } from "../did/cache.ts";
import { resolveDid } from "../did/resolver.ts";
import { didWebResolver } from "../did/web.ts";
import { AgentCommMessage } from "../message/message.ts";
import { createVerifier, type VerifierOptions } from "../policy.ts";
import { proveMessage, verifyProof } from "../proof.ts";
import { CommError } from "../shared/error.ts";
import { ANN, BOB, PROTOCOL } from "../testdata/peers.ts";
import { signMessage } from "./signing.ts";
import { verifyAll } from "./verify_all.ts";
import { verifyMessage } from "./verify_message.ts";

interface Limits {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** Called when {@linkcode never} is called. */
const listeners = new Set<() => void>();

function never(): Promise<never> {
  for (const listener of listeners) listener();
  return new Promise(() => {});
}

const MESSAGE = new AgentCommMessage({
  sender: ANN.did,
  recipient: BOB.did,
  protocol: PROTOCOL,
  messageType: "task_assign",
  payload: null,
});
const SIGNED = await signMessage(MESSAGE, ANN);
const PROVEN = await proveMessage(SIGNED, ANN);
const RESOLVER = { resolve: never };
const SIGNER = { ...ANN, sign: never };
const STORE = { ttlMs: 600_000, begin: () => true, commit: () => {}, abort: () => {} };

/** Verifies a message with a verifier that has the given options. */
function verifyWith(options: Partial<VerifierOptions>, message: AgentCommMessage = SIGNED) {
  return ({ timeoutMs, ...how }: Limits): Promise<unknown> =>
    createVerifier({ recipient: BOB.did, timeoutMs, ...options }).verify(message, how);
}

const PROOF = { policy: { require: "proof" }, verifyProof } as const;

/** Calls, each with the reason of its result or the code of its error after the timeout. */
const CALLS: readonly (readonly [string, string, (limits: Limits) => Promise<unknown>])[] = [
  ["resolveDid()", "did_resolution_failed", (how) => resolveDid(ANN.did, RESOLVER, how)],
  [
    "resolveDid() with a cache",
    "did_resolution_failed",
    (how) => resolveDid(ANN.did, cachedResolver(RESOLVER), how),
  ],
  [
    "verifyMessage()",
    "did_resolution_failed",
    (how) => verifyMessage(SIGNED, { recipient: BOB.did, resolver: RESOLVER, ...how }),
  ],
  [
    "verifyAll()",
    "did_resolution_failed",
    async (how) => {
      const options = { recipient: BOB.did, resolver: RESOLVER, ...how };
      const [first, second] = await verifyAll([SIGNED, SIGNED], options);
      assertEquals(first?.ok, second?.ok);
      return first;
    },
  ],
  [
    "verifyProof()",
    "did_resolution_failed",
    (how) => verifyProof(PROVEN, { recipient: BOB.did, resolver: RESOLVER, ...how }),
  ],
  ["signMessage()", "timeout", (how) => signMessage(MESSAGE, SIGNER, how)],
  ["proveMessage()", "timeout", (how) => proveMessage(MESSAGE, SIGNER, how)],
  ["verify(): resolver", "did_resolution_failed", verifyWith({ resolver: RESOLVER })],
  [
    "verify(): resolver of a proof",
    "did_resolution_failed",
    verifyWith({ ...PROOF, resolver: RESOLVER }, PROVEN),
  ],
  [
    "verify(): verifyProof",
    "did_resolution_failed",
    verifyWith({ ...PROOF, verifyProof: never }, PROVEN),
  ],
  ["verify(): allow", "sender_refused", verifyWith({ allow: never })],
  [
    "verify(): begin",
    "replay_store_failed",
    verifyWith({ replayGuard: { ...STORE, begin: never } }),
  ],
  [
    "verify(): commit and abort",
    "replay_store_failed",
    verifyWith({ replayGuard: { ...STORE, commit: never, abort: never } }),
  ],
];

async function codeOf(calling: Promise<unknown>): Promise<unknown> {
  const result = await calling.catch((error: unknown) => error);
  return result instanceof CommError ? result.code : Reflect.get(Object(result), "reason");
}

for (const [name, code, call] of CALLS) {
  Deno.test(`${name} ends after its timeout if a function of the caller never settles`, async () => {
    assertEquals(await codeOf(call({ timeoutMs: 5 })), code);
  });

  Deno.test(`${name} ends if its signal aborts, although a function of the caller ignores it`, async () => {
    const reason = new Error("the caller aborted the operation");
    const early = new AbortController();
    const calling = call({ timeoutMs: 60_000, signal: early.signal });
    early.abort(reason);
    assertStrictEquals(await assertRejects(() => calling), reason);
    const late = new AbortController();
    const abort = (): void => late.abort(reason);
    listeners.add(abort);
    const waiting = call({ timeoutMs: 60_000, signal: late.signal });
    assertStrictEquals(await assertRejects(() => waiting), reason);
    listeners.delete(abort);
  });
}

Deno.test("a resolver of cachedResolver() rejects and aborts after its timeout", async () => {
  let received: AbortSignal | undefined;
  const endless = {
    resolve(_did: string, options: { readonly signal?: AbortSignal } = {}) {
      received = options.signal;
      return never();
    },
  };
  const resolver = cachedResolver(endless, { timeoutMs: 5 });
  const results = await Promise.all([1, 2].map(() => codeOf(resolver.resolve(ANN.did))));
  assertEquals([...results, received?.aborted], ["timeout", "timeout", true]);
});

Deno.test("didWebResolver() ends after its timeout if checkHost or fetch never settles", async () => {
  for (const options of [{ checkHost: never }, { fetch: never }]) {
    const resolver = didWebResolver({ timeoutMs: 5, ...options });
    const { didResolutionMetadata } = await resolver.resolve("did:web:example.com");
    assertEquals(didResolutionMetadata.error, "timeout");
  }
});

Deno.test("commit() and abort() of a reservation reject after the timeout and with their signal", async () => {
  const replayGuard = { ...STORE, commit: never, abort: never };
  const verifier = createVerifier({ recipient: BOB.did, timeoutMs: 5, replayGuard });
  const reserved = await verifier.begin(SIGNED);
  if (!reserved.ok) throw reserved.error;
  assertEquals(await codeOf(reserved.commit()), "replay_store_failed");
  assertEquals(await codeOf(reserved.abort()), "replay_store_failed");
  const signal = AbortSignal.abort(new Error("stopped"));
  await assertRejects(() => reserved.commit({ signal }), Error, "stopped");
});

Deno.test("verifiers admit no message if a function of the caller throws or returns no decision", async () => {
  const fail = (): never => {
    throw new Error("the program failed");
  };
  const broken: readonly (readonly [string, Partial<VerifierOptions>])[] = [
    ["did_resolution_failed", { resolver: { resolve: fail } }],
    ["did_resolution_failed", { resolver: { resolve: () => Promise.reject(undefined) } }],
    ["sender_refused", { allow: fail }],
    ["sender_refused", { allow: () => Promise.reject(Object.create(null)) }],
    ["replay_store_failed", { replayGuard: { ...STORE, begin: fail } }],
    ["replay_store_failed", { replayGuard: { ...STORE, commit: fail, abort: fail } }],
  ];
  for (const [code, options] of broken) {
    assertEquals(await codeOf(verifyWith(options)({ timeoutMs: 60_000 })), code);
  }
});

/** Implementations of `verifyProof` that fail or return no result. The types do not permit some. */
const NO_RESULTS: readonly (readonly [string, () => unknown])[] = [
  ["throws", () => {
    throw new Error("no database");
  }],
  ["rejects", () => Promise.reject(new Error("no database"))],
  ...[undefined, true, "proof", {}, { ok: "true" }, { ok: 1, level: "proof" }]
    .map((value) => [`returns ${JSON.stringify(value)}`, () => value] as const),
];

for (const [fault, check] of NO_RESULTS) {
  Deno.test(`verifiers admit no message if verifyProof ${fault}`, async () => {
    const begun: unknown[] = [];
    const verifier = createVerifier({
      ...PROOF,
      recipient: BOB.did,
      replayGuard: { ...STORE, begin: (...entry) => begun.push(entry) > 0 },
      verifyProof: check as typeof verifyProof,
    });
    await assertRejects(() => verifier.begin(PROVEN), Error);
    await assertRejects(() => verifier.verify(PROVEN), Error);
    assertEquals(begun, []);
  });
}

Deno.test("verifiers admit no message unless allow and the replay store return exactly true", async () => {
  const answers: readonly unknown[] = [undefined, null, 1, "true", {}, [true], { ok: true }];
  for (const value of answers.flatMap((value) => [value, Promise.resolve(value)])) {
    const answer = (() => value) as () => boolean;
    const broken: readonly (readonly [string, Partial<VerifierOptions>])[] = [
      ["sender_refused", { allow: answer }],
      ["replay_store_failed", { replayGuard: { ...STORE, begin: answer } }],
    ];
    for (const [code, options] of broken) {
      assertEquals(await codeOf(verifyWith(options)({ timeoutMs: 60_000 })), code);
    }
  }
});
