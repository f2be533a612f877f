/**
 * Ed25519 with `node:crypto`, which runs on the calling thread. WebCrypto runs each operation on
 * another thread, and the two switches between threads take about as long as a signature.
 *
 * @module
 */

import { formatBase64url, readBase64url } from "../shared/base64url.ts";
import {
  type Bytes,
  type Ed25519Backend,
  type PrivateKey,
  type PublicKey,
  withStrictChecks,
} from "./ed25519_strict.ts";
import { formatPkcs8 } from "./key_formats.ts";
import { ShortTurns } from "./short_turns.ts";

/** A `KeyObject`. */
interface NodeKey {
  export(options: { readonly format: "jwk" }): { readonly x?: string };
}

/** The functions of `node:crypto` that this module calls. */
interface NodeCrypto {
  createPrivateKey(
    key: { readonly key: Bytes; readonly format: "der"; readonly type: "pkcs8" },
  ): NodeKey;
  createPublicKey(key: NodeKey | { readonly key: object; readonly format: "jwk" }): NodeKey;
  sign(algorithm: null, data: Bytes, key: NodeKey): Uint8Array;
  verify(algorithm: null, data: Bytes, key: NodeKey, signature: Bytes): boolean;
}

/** The function of `node:timers` that this module calls. */
interface NodeTimers {
  setImmediate(callback: () => void): unknown;
}

/** The modules of Node.js, as far as this module uses them. */
interface NodeModules {
  getBuiltinModule?(name: "node:crypto"): NodeCrypto | undefined;
  getBuiltinModule?(name: "node:timers"): NodeTimers | undefined;
}

/**
 * Returns a backend that uses `node:crypto`, or `undefined` on a platform that has no `node:crypto`
 * or does not support Ed25519 in it. The module is not imported, because browsers and most workers
 * do not have it.
 */
export async function findNodeBackend(): Promise<Ed25519Backend | undefined> {
  const { process }: { readonly process?: NodeModules } = globalThis;
  const nodeCrypto = process?.getBuiltinModule?.("node:crypto");
  const timers = process?.getBuiltinModule?.("node:timers");
  if (nodeCrypto === undefined || timers === undefined) return undefined;
  const backend = createNodeBackend(nodeCrypto, new ShortTurns(timers.setImmediate));
  return await isUsable(backend) ? backend : undefined;
}

/**
 * Returns `true` if a backend verifies a signature that it has created. Some platforms have a
 * `node:crypto` whose functions are missing or throw.
 */
async function isUsable(backend: Ed25519Backend): Promise<boolean> {
  try {
    const data = new Uint8Array(32);
    const { publicKey, sign } = await backend.openPrivateKey(data);
    const { verify } = await backend.openPublicKey(publicKey);
    return await verify(await sign(data), data);
  } catch {
    // The platform does not support Ed25519 in `node:crypto`, and another backend is used.
    return false;
  }
}

function createNodeBackend(nodeCrypto: NodeCrypto, turns: ShortTurns): Ed25519Backend {
  return withStrictChecks({
    name: "node",
    openPrivateKey(seed) {
      return turns.run((): PrivateKey => {
        const pkcs8 = formatPkcs8(seed);
        const key = nodeCrypto.createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
        pkcs8.fill(0);
        const publicKey = readBase64url(
          nodeCrypto.createPublicKey(key).export({ format: "jwk" }).x ?? "",
        );
        if (publicKey?.length !== 32) {
          throw new TypeError("Cannot derive public key: exported JWK has no public key");
        }
        return {
          publicKey,
          sign: (data) => turns.run(() => new Uint8Array(nodeCrypto.sign(null, data, key))),
        };
      });
    },
    openPublicKey(publicKey) {
      return turns.run((): PublicKey => {
        const key = importPublicKey(nodeCrypto, publicKey);
        if (key === undefined) return { verify: () => Promise.resolve(false) };
        return {
          verify: (signature, data) =>
            turns.run(() => nodeCrypto.verify(null, data, key, signature)),
        };
      });
    },
  });
}

function importPublicKey(nodeCrypto: NodeCrypto, publicKey: Bytes): NodeKey | undefined {
  try {
    // A JWK is imported in a third of the time of DER on Node.js.
    const jwk = { kty: "OKP", crv: "Ed25519", x: formatBase64url(publicKey) };
    return nodeCrypto.createPublicKey({ key: jwk, format: "jwk" });
  } catch {
    // The key is not a valid point, so every verification with it fails. A platform that does not
    // validate keys on import rejects the signature during verification.
    return undefined;
  }
}
