/**
 * `comm` operations on signed requests of A2A.
 *
 * @module
 */

import { createSigner } from "@parley/comm";
import { signA2aRequest, verifyA2aRequest } from "@parley/comm/a2a";
import { createVerifier, ReplayGuard } from "@parley/comm/policy";
import { verifyProof } from "@parley/comm/proof";
import { bytesOf, type Fields, objectOf, type Operation, textOf } from "./operation.ts";

/** Implementations of the operations, keyed by operation name. */
export const A2A_OPS: Readonly<Record<string, Operation>> = {
  "comm.a2a.sign": async ({ args, signal }) => {
    const signer = await createSigner({ seed: bytesOf(args, "seedHex") });
    const recipient = textOf(args, "recipient");
    const request = objectOf(JSON.parse(textOf(args, "requestText")), "requestText");
    return { request: await signA2aRequest(request, { signer, recipient, signal }) };
  },
  "comm.a2a.verify": async ({ args, signal }) => {
    const nowMs = Date.parse(textOf(args, "now"));
    const now = (): number => nowMs;
    const verifier = createVerifier({
      recipient: textOf(args, "recipient"),
      policy: { require: "proof" },
      replayGuard: new ReplayGuard({ now }),
      verifyProof,
      now,
    });
    const verdicts: Fields[] = [];
    for (const text of Array.isArray(args.requestTexts) ? args.requestTexts : []) {
      const result = await verifyA2aRequest(JSON.parse(String(text)), verifier, { signal });
      verdicts.push(
        result.ok ? { valid: true, did: result.did } : { valid: false, reason: result.reason },
      );
    }
    return { verdicts };
  },
};
