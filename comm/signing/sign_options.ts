/**
 * Options of functions that sign messages, and calls of signers.
 *
 * @module
 */

import {
  assertObject,
  assertOptionalSignal,
  assertPositiveNumber,
} from "@parley/internal/assert-argument";
import { assertNames, namesOf } from "@parley/internal/options";
import { type CallLimits, callWithin } from "@parley/internal/call-within";
import { timedOut } from "../shared/error.ts";
import type { Bytes } from "./ed25519_strict.ts";
import { assertSignature, isLocalSigner, type Signer } from "./signer.ts";

/** Options for `signMessage`. */
export interface SignMessageOptions {
  /**
   * Timeout for the signer, in milliseconds. The signer does not have to support signals.
   *
   * @default {30_000}
   */
  readonly timeoutMs?: number;
  /** Aborts the operation. */
  readonly signal?: AbortSignal;
}

/** Default timeout for a signer, in milliseconds. A person may have to confirm the signature. */
export const SIGNER_TIMEOUT_MS = 30_000;

const NAMES = namesOf<SignMessageOptions>({ timeoutMs: true, signal: true });

/** Names that other libraries give to the options. */
const ALIASES = { abortSignal: "signal", timeout: "timeoutMs" };

/** Validates the options. The options are read by hand, because many messages are signed. */
export function readSignMessageOptions(options: SignMessageOptions | undefined): CallLimits {
  if (options === undefined) return { signal: undefined, timeoutMs: SIGNER_TIMEOUT_MS };
  assertObject("options", options);
  assertNames("options", options, NAMES, ALIASES);
  const { timeoutMs = SIGNER_TIMEOUT_MS, signal } = options;
  assertPositiveNumber("timeoutMs", timeoutMs);
  assertOptionalSignal("signal", signal);
  return { signal, timeoutMs };
}

/**
 * Calls a signer, and validates its signature. Stops waiting if the signal aborts or the timeout
 * expires.
 */
export async function callSigner(signer: Signer, data: Bytes, limits: CallLimits): Promise<Bytes> {
  // A key of this package needs no time limit, and starting a timer takes 2 µs.
  if (limits.signal === undefined && isLocalSigner(signer)) return await signer.sign(data);
  const signature = await callWithin((context) => signer.sign(data, context), {
    ...limits,
    late: () => timedOut("sign message", limits.timeoutMs),
  });
  assertSignature(signature);
  return signature;
}
