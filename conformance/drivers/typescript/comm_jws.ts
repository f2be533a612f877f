/**
 * `comm` operations on signatures of JSON objects.
 *
 * @module
 */

import { createSigner, parseJson } from "@parley/comm";
import { signJson, verifyJson } from "@parley/comm/jws";
import { resolvingBy } from "./comm_resolver.ts";
import { bytesOf, type Fields, objectOf, type Operation, pick, textOf } from "./operation.ts";

/** Implementations of the operations, keyed by operation name. */
export const JWS_OPS: Readonly<Record<string, Operation>> = {
  "comm.jws.sign": async ({ args, signal }) => {
    const { did, keyId } = args;
    const seed = bytesOf(args, "seedHex");
    const signer = did === undefined && keyId === undefined
      ? await createSigner({ seed })
      : await createSigner({ seed, did: textOf(args, "did"), keyId: textOf(args, "keyId") });
    return { jws: await signJson(valueOf(args), signer, { signal, ...pick(args, "exclude") }) };
  },
  "comm.jws.verify": async ({ args, signal }) => {
    const result = await verifyJson(valueOf(args), args.jws, {
      ...resolvingBy(args),
      ...clockOf(args),
      ...pick(args, "exclude", "relationship", "signer"),
      signal,
    });
    return result.ok
      ? { valid: true, did: result.did, keyId: result.keyId }
      : { valid: false, reason: result.reason };
  },
};

/** Returns the object in the argument `valueText`. */
function valueOf(args: Fields): Fields {
  return objectOf(parseJson(textOf(args, "valueText")), "valueText");
}

/** Returns a clock with a fixed time, if the case sets one. */
function clockOf(args: Fields): { readonly now?: () => number } {
  if (args.now === undefined) return {};
  const ms = Date.parse(textOf(args, "now"));
  return { now: () => ms };
}
