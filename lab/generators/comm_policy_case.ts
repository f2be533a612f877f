/**
 * Cases that verify messages with one verifier, and the messages that they share.
 *
 * @module
 */

import type { JsonObject } from "../../conformance/kit/json.ts";
import { type CaseText, LINKED, type Members, sign, toWire } from "./comm_messages.ts";
import { type Agent, ALICE, BOB } from "./keys.ts";

/** Area of the cases. */
export const AREA = "comm/policy";
/**
 * Time of verification. The messages were created at 03:04:05.678, and their ids contain the same
 * time.
 */
const NOW = "2026-01-02T03:05:00.000Z";

/** Messages that one verifier receives in order, with the expected result for each message. */
export interface Script {
  readonly policy?: JsonObject;
  readonly replayGuard?: boolean;
  /** Step that creates the verifier's replay store. */
  readonly replayStore?: JsonObject;
  readonly didDocuments?: JsonObject;
  readonly recipient?: string;
  readonly now?: string;
  readonly messages: readonly (readonly [messageText: string, answer: boolean | string])[];
}

/** Creates a case in which one verifier verifies the given messages. */
export function toCase(
  text: CaseText & { readonly needs?: JsonObject },
  script: Script,
): JsonObject {
  const { messages } = script;
  return toScript(text, script, messages.map(([message, answer]) => verify(message, answer)));
}

/** Creates a case whose first step creates a verifier, followed by the given steps. */
export function toScript(
  { control, slug, ...text }: CaseText & { readonly needs?: JsonObject },
  script: Omit<Script, "messages">,
  steps: readonly JsonObject[],
): JsonObject {
  const { policy, replayGuard, replayStore, didDocuments, recipient = BOB.did, now = NOW } = script;
  const open = {
    do: "comm.verifier.new",
    args: {
      recipient,
      now,
      ...(policy === undefined ? {} : { policy }),
      ...(replayGuard === undefined ? {} : { replayGuard }),
      ...(replayStore === undefined ? {} : { replayStore: { $handle: "store" } }),
      ...(didDocuments === undefined ? {} : { didDocuments }),
    },
    as: "verifier",
  };
  return {
    id: `${AREA}/${slug}`,
    kind: "script",
    level: "MUST",
    basis: "decision",
    ...text,
    ...(control === undefined ? {} : { control: `${AREA}/${control}` }),
    steps: [...(replayStore === undefined ? [] : [replayStore]), open, ...steps],
  };
}

/**
 * Step that verifies a message, with the expected result: whether it is valid, or the reason for
 * its rejection. `now` sets the verifier's clock.
 */
export function verify(messageText: string, answer: boolean | string, now?: string): JsonObject {
  const ok = typeof answer === "string" ? { valid: false, reason: answer } : { valid: answer };
  const args = { messageText, ...(now === undefined ? {} : { now }) };
  return { do: "comm.verifier.verify", on: "verifier", args, expect: { ok } };
}

/** A message from Alice to Bob with a signature. */
export const SIGNED: string = toWire(sign(LINKED));
/** A message from Alice to Bob without a signature. */
export const UNSIGNED: string = toWire(LINKED);

/** Changes members of the message and then signs it. */
export function signed(change: Partial<Members>, signer: Agent = ALICE): string {
  return toWire(sign({ ...LINKED, ...change }, signer));
}
