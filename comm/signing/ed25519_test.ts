import nodeCrypto from "node:crypto";
import { setImmediate } from "node:timers";
import { assert, assertEquals, assertFalse } from "@std/assert";
import { decodeHex, encodeHex } from "@std/encoding/hex";
import fc from "fast-check";
import { propertyRuns } from "../../tools/testing/property.ts";
import { createEdgeVectors } from "../testdata/ed25519_edges.ts";
import { detectBackend, WEB_CRYPTO } from "./ed25519.ts";
import { findNodeBackend } from "./ed25519_node.ts";
import { NOBLE } from "./ed25519_noble.ts";
import type { Bytes, Ed25519Backend } from "./ed25519_strict.ts";

/** RFC 8032 §7.1: seed, public key, message, signature. */
const RFC_8032:
  readonly (readonly [seed: string, publicKey: string, data: string, signature: string])[] = [
    [
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
      "",
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ],
    [
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
      "72",
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ],
    [
      "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
      "af82",
      "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ],
  ];

/** The backend with `node:crypto`, which Deno has. */
const NODE = await findNodeBackend();
assert(NODE !== undefined);
const BACKENDS: readonly Ed25519Backend[] = [NODE, WEB_CRYPTO, NOBLE];

for (const backend of BACKENDS) {
  Deno.test(`${backend.name} signs and verifies the test vectors in RFC 8032`, async () => {
    for (const [seed, publicKey, data, signature] of RFC_8032) {
      const key = await backend.openPrivateKey(decodeHex(seed));
      assertEquals(encodeHex(key.publicKey), publicKey);
      assertEquals(encodeHex(await key.sign(decodeHex(data))), signature);
      const opened = await backend.openPublicKey(decodeHex(publicKey));
      assert(await opened.verify(decodeHex(signature), decodeHex(data)));
      assertFalse(await opened.verify(decodeHex(signature), decodeHex(`${data}00`)));
    }
  });

  Deno.test(`${backend.name} rejects every signature if the key is not a point on the curve`, async () => {
    const [, , data, signature] = RFC_8032[0] ?? ["", "", "", ""];
    const opened = await backend.openPublicKey(new Uint8Array(32).fill(2));
    assertFalse(await opened.verify(decodeHex(signature), decodeHex(data)));
  });
}

Deno.test("all Ed25519 backends return the expected result for all edge cases", async () => {
  const vectors = await createEdgeVectors();
  const wrong: string[] = [];
  for (const { name, publicKey, data, signature, holds } of vectors) {
    for (const backend of BACKENDS) {
      const key = await backend.openPublicKey(publicKey);
      if (await key.verify(signature, data) !== holds) wrong.push(`${backend.name}: ${name}`);
    }
  }
  assertEquals(wrong, []);
  assert(vectors.length >= 300);
  const mixed = vectors.filter(({ name }) => name.startsWith("mixed order A"));
  assert(mixed.some(({ holds }) => holds) && mixed.some(({ holds }) => !holds));
});

Deno.test("all Ed25519 backends return the same result for any combination of parts of the edge cases", async () => {
  const vectors = await createEdgeVectors();
  const any = fc.integer({ min: 0, max: vectors.length - 1 }).map((index) => vectors[index]);
  // Half of the combinations are one vector, so that flipped bits change signatures that are valid.
  const one = any.map((vector) => [vector, vector, vector] as const);
  const parts = fc.oneof(one, fc.tuple(any, any, any));
  const flips = fc.array(fc.tuple(fc.nat(2), fc.nat(99), fc.nat(7)), { maxLength: 2 });
  await fc.assert(
    fc.asyncProperty(parts, flips, any, async ([a, b, c], changes, pointOf) => {
      const key = flip(a?.publicKey, changes, 0);
      const data = flip(b?.data, changes, 1);
      const signature = flip(c?.signature, changes, 2);
      const moved = flip(c?.signature, changes, 2);
      moved.set((pointOf?.publicKey ?? new Uint8Array()).subarray(0, Math.min(32, moved.length)));
      for (const each of [signature, moved]) {
        const results = await Promise.all(BACKENDS.map(async (backend) => {
          const opened = await backend.openPublicKey(key);
          return await opened.verify(each, data);
        }));
        assertEquals(results, BACKENDS.map(() => results[0]));
      }
    }),
    propertyRuns(300),
  );
});

/** Copies bytes, and flips the bits that the changes of a part name. */
function flip(
  bytes: Bytes | undefined,
  changes: readonly (readonly [part: number, byte: number, bit: number])[],
  part: number,
): Bytes {
  const copy = new Uint8Array(bytes ?? []);
  for (const [where, byte, bit] of changes) {
    if (where === part && byte < copy.length) copy[byte] = (copy[byte] ?? 0) ^ (1 << bit);
  }
  return copy;
}

Deno.test("each Ed25519 backend verifies the signatures that the other backends create", async () => {
  const pairs = BACKENDS.flatMap((signer) => BACKENDS.map((other) => [signer, other] as const));
  for (const [signer, verifier] of pairs) {
    await fc.assert(
      fc.asyncProperty(bytesOf(32, 32), bytesOf(0, 200), async (seed, data) => {
        const key = await signer.openPrivateKey(seed);
        const signature = await key.sign(data);
        const opened = await verifier.openPublicKey(key.publicKey);
        assert(await opened.verify(signature, data));
      }),
      propertyRuns(20),
    );
  }
});

function bytesOf(minLength: number, maxLength: number): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  return fc.uint8Array({ minLength, maxLength }).map((bytes) => new Uint8Array(bytes));
}

Deno.test("the noble backend's verify() does not call the iterator of the data", async () => {
  const key = await NOBLE.openPrivateKey(new Uint8Array(32));
  const data = new Uint8Array(100_000).fill(1);
  const signature = await key.sign(data);
  const opened = await NOBLE.openPublicKey(key.publicKey);
  Object.defineProperty(data, Symbol.iterator, { value: () => assert(false) });
  assert(await opened.verify(signature, data));
});

Deno.test("detectBackend() prefers node:crypto", async () => {
  assertEquals((await detectBackend()).name, "node");
});

/** Calls {@linkcode findNodeBackend} on a platform with another global `process`. */
async function findWith(process: unknown): Promise<Ed25519Backend | undefined> {
  const own = Object.getOwnPropertyDescriptor(globalThis, "process") ?? {};
  Object.defineProperty(globalThis, "process", { value: process, configurable: true });
  try {
    return await findNodeBackend();
  } finally {
    Object.defineProperty(globalThis, "process", own);
  }
}

/** Creates a `process` whose `node:crypto` has other functions. */
function createProcess(changes: Readonly<Record<string, unknown>>): unknown {
  return {
    getBuiltinModule: (name: string) =>
      name === "node:crypto" ? { ...nodeCrypto, ...changes } : { setImmediate },
  };
}

Deno.test("findNodeBackend() finds no backend where node:crypto does not sign and verify with Ed25519", async () => {
  assertEquals((await findWith(createProcess({})))?.name, "node");
  function fail(): never {
    throw new Error("not implemented");
  }
  const platforms: readonly unknown[] = [
    undefined,
    {},
    { getBuiltinModule: undefined },
    { getBuiltinModule: () => undefined },
    { getBuiltinModule: (name: string) => name === "node:crypto" ? nodeCrypto : undefined },
    { getBuiltinModule: (name: string) => name === "node:timers" ? { setImmediate } : undefined },
    createProcess({ sign: undefined }),
    createProcess({ sign: fail }),
    createProcess({ sign: () => new Uint8Array(64) }),
    createProcess({ verify: undefined }),
    createProcess({ verify: fail }),
    createProcess({ verify: () => false }),
    createProcess({ createPrivateKey: fail }),
    createProcess({ createPublicKey: fail }),
  ];
  for (const [index, process] of platforms.entries()) {
    assertEquals(await findWith(process), undefined, `platform ${index}`);
  }
});
