/**
 * `comm` operations on policies and proofs.
 *
 * @module
 */

import { parseMessage } from "@parley/comm";
import {
  createVerifier,
  type MessageVerifier,
  ReplayGuard,
  type VerificationPolicy,
} from "@parley/comm/policy";
import { verifyProof } from "@parley/comm/proof";
import { toVerdict } from "./comm_message.ts";
import { resolverOf } from "./comm_resolver.ts";
import { BadArgs, type Fields, fieldsOf, isFields, type Operation, textOf } from "./operation.ts";

/** Implementations of the operations, keyed by operation name. */
export const POLICY_OPS: Readonly<Record<string, Operation>> = {
  "comm.verifier.new": ({ args, handles }) => ({ handle: handles.add(toVerifier(args)) }),
  "comm.verifier.verify": async ({ on, args, signal }) => {
    if (!isVerifier(on)) throw new BadArgs('"on" must be the handle of a verifier');
    return toVerdict(await on.verify(parseMessage(textOf(args, "messageText")), { signal }));
  },
  "comm.proof.verify": async ({ args, signal }) =>
    toVerdict(
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
    // Policies in cases have the same members as in the library.
    policy: fieldsOf(args, "policy") as VerificationPolicy,
    resolver: resolverOf(args),
    now,
    verifyProof,
    ...(args.replayGuard === true ? { replayGuard: new ReplayGuard({ now }) } : {}),
  });
}

/** Creates a clock with a fixed time. */
function clockOf(args: Fields): () => number {
  const ms = Date.parse(textOf(args, "now"));
  return () => ms;
}

function isVerifier(value: unknown): value is MessageVerifier {
  return isFields(value) && typeof value.verify === "function";
}
