/**
 * The operations of comm on policies, proofs and did:web.
 *
 * @module
 */

import { parseMessage, type VerifyResult } from "@parley/comm";
import { didWebUrl } from "@parley/comm/did-web";
import {
  createVerifier,
  type MessageVerifier,
  ReplayGuard,
  type VerificationPolicy,
} from "@parley/comm/policy";
import { verifyProof } from "@parley/comm/proof";
import { resolverOf } from "./comm.ts";
import { BadArgs, type Fields, fieldsOf, isFields, type Op, textOf } from "./op.ts";

/** The operations by name. */
export const POLICY_OPS: Readonly<Record<string, Op>> = {
  "comm.did.webUrl": ({ args }) => ({ url: didWebUrl(textOf(args, "did")) }),
  "comm.verifier.new": ({ args, handles }) => ({ handle: handles.add(toVerifier(args)) }),
  "comm.verifier.verify": async ({ on, args, signal }) => {
    if (!isVerifier(on)) throw new BadArgs("the handle is no verifier");
    return toAnswer(await on.verify(parseMessage(textOf(args, "messageText")), { signal }));
  },
  "comm.proof.verify": async ({ args, signal }) =>
    toAnswer(
      await verifyProof(parseMessage(textOf(args, "messageText")), {
        recipient: textOf(args, "recipient"),
        now: clockOf(args),
        resolver: resolverOf(args),
        signal,
      }),
    ),
};

function toVerifier(args: Fields): MessageVerifier {
  const now = clockOf(args);
  return createVerifier({
    recipient: textOf(args, "recipient"),
    // A case states the policy in the words of the library.
    policy: fieldsOf(args, "policy") as VerificationPolicy,
    resolver: resolverOf(args),
    now,
    verifyProof,
    ...(args.replayGuard === true ? { replayGuard: new ReplayGuard({ now }) } : {}),
  });
}

/** A clock that stands still. */
function clockOf(args: Fields): () => number {
  const ms = Date.parse(textOf(args, "now"));
  return () => ms;
}

function toAnswer(result: VerifyResult): Fields {
  return result.ok ? { valid: true } : { valid: false, reason: result.reason };
}

function isVerifier(value: unknown): value is MessageVerifier {
  return isFields(value) && typeof value.verify === "function";
}
