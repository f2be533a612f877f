/**
 * Optional features and operations that the example drivers in Go and Python leave out.
 *
 * @module
 */

import { type CaseResult, describeFailure, Verdict } from "../../kit/verdict.ts";

/** Features and operations of `comm` that neither of the drivers supports. */
const LEFT_OUT: readonly string[] = [
  "comm.aborted",
  "comm.channel.tryReceive",
  "comm.channel.trySend",
  "comm.decode.limits",
  "comm.did.jwk.encode",
  "comm.message.initText",
  "comm.message.verifyAll",
  "comm.negotiation.offer",
  "comm.peer.close",
  "comm.peer.release",
  "comm.protocol.format",
  "comm.replayStore.options",
  "comm.requests.options",
  "comm.resolver.options",
  "comm.signer.generate",
  "comm.signer.reply",
  "comm.stream.release",
  "comm.transport.options",
  "comm.verifier.options",
];

/** Describes the cases that do not pass, except those that need a feature or an operation that is left out. */
export function listProblems(results: readonly CaseResult[]): string[] {
  return results
    .filter(({ verdict }) => verdict !== Verdict.Pass)
    .map((result) => `${result.id}: ${describeFailure(result)}`)
    .filter((text) => !LEFT_OUT.some((name) => isLeftOut(text, name)));
}

function isLeftOut(text: string, name: string): boolean {
  return text.endsWith(`: untestable: the driver does not support the feature "${name}"`) ||
    text.endsWith(`: untestable: the driver does not implement the operation "${name}"`);
}
