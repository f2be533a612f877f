/**
 * Verification of the signature of a message.
 *
 * @module
 */

import { askClock } from "@parley/internal/ask-clock";
import { namesOf, type Settings } from "@parley/internal/options";
import { takeCurrentKeys } from "../did/document.ts";
import { type AgentCommMessage, ensureMessage } from "../message/message.ts";
import { readBase64url } from "../shared/base64url.ts";
import type { Bytes } from "./ed25519_strict.ts";
import {
  openSenderKeys,
  readSenderKeyOptions,
  type SenderKeyDefault,
  type SenderKeyOptions,
} from "./sender_keys.ts";
import { SIGNED_MEMBERS, signingPayload } from "./signing.ts";
import { signatureInvalid, signatureMalformed, signatureMissing } from "./verify_error.ts";
import { assertVerifyOptions } from "./verify_options.ts";
import { assertRecipient, toFailure, type VerifyResult } from "./verify_result.ts";

/** Options for {@linkcode verifyMessage}. */
export interface VerifyMessageOptions extends SenderKeyOptions {
  /**
   * DID of this agent, or `any`. Messages for other recipients fail with `recipient_mismatch`. With
   * `any`, messages for any recipient are accepted.
   */
  readonly recipient: string;
}

/** Options for {@linkcode verifyMessage}, with default values filled in. */
export type VerifyMessageSettings = Settings<VerifyMessageOptions, SenderKeyDefault>;

/**
 * Verifies the signature of a message with the keys in the sender's DID document. Because a
 * signature does not identify its key, up to eight keys are tried.
 *
 * A valid signature does not prove the age of a message: anyone who has the message can send it
 * again. To detect old and replayed messages, use `createVerifier` from `@parley/comm/policy`.
 *
 * @param message The message to verify.
 * @param options Expected recipient, resolver and verification relationship.
 * @returns The result of the verification. The function does not throw if the signature is missing,
 *   invalid or unverifiable.
 * @throws {TypeError} If `recipient` is neither a DID nor `any`, if another option is invalid or
 *   unknown, or if `now` does not return a finite number.
 * @throws {CommError} With code "invalid_message" if the argument is not a valid message.
 * @throws {RangeError} If `timeoutMs` is not positive.
 * @throws The signal's reason if the signal is aborted.
 *
 * @example Check the result of a verification
 * ```ts
 * import { AgentCommMessage, verifyMessage } from "@parley/comm";
 * import { assertEquals } from "@std/assert";
 *
 * const unsigned = new AgentCommMessage({
 *   sender: "did:web:ann.example",
 *   recipient: "did:web:bob.example",
 *   protocol: "agent.task.v1",
 *   messageType: "task_assign",
 *   payload: null,
 * });
 * const result = await verifyMessage(unsigned, { recipient: "did:web:bob.example" });
 * assertEquals(result.ok ? result.keyId : result.reason, "signature_missing");
 * ```
 */
export async function verifyMessage(
  message: AgentCommMessage,
  options: VerifyMessageOptions,
): Promise<VerifyResult> {
  assertVerifyOptions(options, VERIFY_NAMES);
  const { recipient } = options;
  return await verifySignature(message, { recipient, ...readSenderKeyOptions(options) });
}

const VERIFY_NAMES = namesOf<VerifyMessageOptions>({
  recipient: true,
  resolver: true,
  relationship: true,
  now: true,
  timeoutMs: true,
  signal: true,
});

/** Verifies the signature of a message with complete settings. */
export async function verifySignature(
  message: AgentCommMessage,
  settings: VerifyMessageSettings,
): Promise<VerifyResult> {
  settings.signal?.throwIfAborted();
  const own = ensureMessage(message);
  try {
    assertRecipient(own, settings.recipient);
    const signature = readSignature(own.signature);
    const keys = await openSenderKeys(own.sender, settings);
    const current = takeCurrentKeys(keys, own.sender, askClock(settings.now));
    const data = signingPayload(own);
    for (const { keyId, key } of current) {
      if (await key.verify(signature, data)) {
        return { ok: true, level: "signature", keyId, covered: SIGNED_MEMBERS };
      }
    }
    throw signatureInvalid(own.sender);
  } catch (error) {
    return toFailure(error);
  }
}

function readSignature(text: string | undefined): Bytes {
  if (text === undefined) throw signatureMissing();
  if (text.length !== 86) throw signatureMalformed(`expected 86 characters, got ${text.length}`);
  const bytes = readBase64url(text);
  if (bytes === undefined) throw signatureMalformed("not canonical base64url");
  return bytes;
}
