/**
 * Verification policies for received messages: required trust levels, maximum age and replay
 * protection.
 *
 * To create a verifier that applies a policy, call {@linkcode createVerifier}.
 *
 * @example Accept only signed, recent and new messages
 * ```ts
 * import { AgentCommMessage } from "@parley/comm";
 * import { createVerifier, ReplayGuard } from "@parley/comm/policy";
 * import { assertEquals } from "@std/assert";
 *
 * const verifier = createVerifier({
 *   recipient: "did:web:bob.example",
 *   replayGuard: new ReplayGuard(),
 * });
 * const unsigned = new AgentCommMessage({
 *   sender: "did:web:ann.example",
 *   recipient: "did:web:bob.example",
 *   protocol: "agent.task.v1",
 *   messageType: "task_assign",
 *   payload: null,
 * });
 * const result = await verifier.verify(unsigned);
 * assertEquals(result.ok || result.reason, "signature_missing");
 * ```
 *
 * @module
 */

export { ReplayGuard, type ReplayGuardOptions } from "./signing/replay_guard.ts";
export type {
  ReplayBeginOptions,
  ReplayBeginResult,
  ReplayStore,
  Reservation,
  ReservationOptions,
} from "./signing/replay_store.ts";
export type { Admission, VerificationPolicy } from "./signing/verification_policy.ts";
export {
  createVerifier,
  type MessageVerifier,
  type ReservedMessage,
  type VerifyOptions,
} from "./signing/verifier.ts";
export type { ProofVerifier, VerifierOptions } from "./signing/verifier_options.ts";
