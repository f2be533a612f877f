import nodeCrypto from "node:crypto";
import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { cachedResolver } from "../did/cache.ts";
import { formatDidKey } from "../did/key.ts";
import { didKeyResolver } from "../did/key.ts";
import type { Resolvable } from "../did/resolver.ts";
import { CommError } from "../shared/error.ts";
import { isJsonObject } from "../shared/json.ts";
import { AgentCommMessage } from "../message/message.ts";
import {
  openSenderKeys,
  readSenderKeyOptions,
  type SenderKey,
  type SenderKeyOptions,
} from "./sender_keys.ts";
import type { Signer } from "./signer.ts";
import { generateSigner, signMessage } from "./signing.ts";
import { verifyMessage } from "./verify_message.ts";

const ANN = formatDidKey(new Uint8Array(32).fill(9));
const BOB = formatDidKey(new Uint8Array(32).fill(8));

function openKeys(did: string, options: SenderKeyOptions = {}): Promise<readonly SenderKey[]> {
  return openSenderKeys(did, readSenderKeyOptions(options));
}

function signMessageFrom(signer: Signer): Promise<AgentCommMessage> {
  const message = new AgentCommMessage({
    sender: signer.did,
    recipient: BOB,
    protocol: "agent.task.v1",
    messageType: "task_assign",
    payload: null,
  });
  return signMessage(message, signer);
}

Deno.test("openSenderKeys() imports the keys of a cached document once", async () => {
  const resolver = cachedResolver(didKeyResolver);
  const [first] = await openKeys(ANN, { resolver });
  const [second] = await openKeys(ANN, { resolver });
  assert(first !== undefined);
  assertStrictEquals(first, second);
  const [other] = await openKeys(ANN, { resolver, relationship: "assertionMethod" });
  assert(other !== first);
  assertEquals(other?.keyId, first.keyId);
});

Deno.test("openSenderKeys() imports the keys of an uncached document again", async () => {
  const resolver = didKeyResolver;
  const [first] = await openKeys(ANN, { resolver });
  const [second] = await openKeys(ANN, { resolver });
  assert(first !== second);
});

Deno.test("verifyMessage() imports the key of a did:key sender once, without a resolver", async () => {
  const message = await signMessageFrom(await generateSigner());
  const { createPublicKey } = nodeCrypto;
  let imports = 0;
  nodeCrypto.createPublicKey = (...args: unknown[]) => {
    imports++;
    return Reflect.apply(createPublicKey, nodeCrypto, args);
  };
  try {
    for (let time = 0; time < 10; time++) {
      assert((await verifyMessage(message, { recipient: BOB })).ok);
    }
  } finally {
    nodeCrypto.createPublicKey = createPublicKey;
  }
  assertEquals(imports, 1);
});

Deno.test("openSenderKeys() caches the keys of 1024 to 2048 did:key senders", async () => {
  const [first] = await openKeys(ANN);
  async function openOthers(count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      await openKeys(formatDidKey(crypto.getRandomValues(new Uint8Array(32))));
    }
  }
  await openOthers(1024);
  assertStrictEquals((await openKeys(ANN))[0], first);
  await openOthers(2048);
  assert((await openKeys(ANN))[0] !== first);
});

Deno.test("openSenderKeys() does not return the cached keys of another DID", async () => {
  const cached = cachedResolver(didKeyResolver);
  const confused: Resolvable = { resolve: () => cached.resolve(ANN) };
  await openKeys(ANN, { resolver: confused });
  const error = await assertRejects(() => openKeys(BOB, { resolver: confused }), CommError);
  assertEquals(error.code, "did_resolution_failed");
});

Deno.test("verifyMessage() checks the revocation time of a cached key on each call", async () => {
  const signer = await generateSigner();
  const message = await signMessageFrom(signer);
  const { didDocument } = await didKeyResolver.resolve(signer.did);
  assert(isJsonObject(didDocument) && Array.isArray(didDocument.verificationMethod));
  const [method] = didDocument.verificationMethod;
  const revoked = "2026-01-02T03:04:05Z";
  const resolver = cachedResolver({
    resolve: () =>
      Promise.resolve({
        didDocument: { ...didDocument, verificationMethod: [{ ...method, revoked }] },
        didResolutionMetadata: {},
        didDocumentMetadata: {},
      }),
  });
  let nowMs = Date.parse(revoked) - 1;
  const options = { recipient: BOB, resolver, now: () => nowMs };
  assert((await verifyMessage(message, options)).ok);
  assert((await verifyMessage(message, options)).ok);
  nowMs++;
  const result = await verifyMessage(message, options);
  assertEquals(result.ok || result.reason, "key_revoked");
  // The types do not permit some times, but clocks in JavaScript can return them.
  for (const time of [NaN, null, undefined, -Infinity, "0"]) {
    const verify = () => verifyMessage(message, { ...options, now: () => time as number });
    await assertRejects(verify, TypeError, '"now()"');
  }
});

Deno.test("openSenderKeys() does not return keys for a resolver that returns no result", async () => {
  await openKeys(ANN);
  // @ts-expect-error a resolver written in JavaScript can resolve to undefined
  const empty: Resolvable = { resolve: () => Promise.resolve(undefined) };
  const error = await assertRejects(() => openKeys(ANN, { resolver: empty }), CommError);
  assertEquals(error.code, "did_resolution_failed");
});
