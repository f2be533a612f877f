/**
 * Optional features and operations that the example drivers in Go and Python leave out.
 *
 * @module
 */

/** Features and operations of `comm` that neither of the drivers supports. */
const LEFT_OUT: readonly string[] = [
  "comm.aborted",
  "comm.channel.tryReceive",
  "comm.channel.trySend",
  "comm.decode.limits",
  "comm.did.jwk.encode",
  "comm.message.change",
  "comm.message.initText",
  "comm.message.verifyAll",
  "comm.negotiation.freshness",
  "comm.negotiation.offer",
  "comm.peer.close",
  "comm.peer.release",
  "comm.proof.age",
  "comm.protocol.format",
  "comm.replayStore.options",
  "comm.requests.concurrentUpdates",
  "comm.requests.options",
  "comm.requests.resolver",
  "comm.resolver.options",
  "comm.signer.generate",
  "comm.signer.reply",
  "comm.stream.end",
  "comm.stream.release",
  "comm.transport.options",
  "comm.verifier.options",
];

/**
 * Features and operations of `comm` that the Python driver supports, and the Go driver does not.
 */
const LEFT_OUT_OF_GO: readonly string[] = [
  "comm.a2a",
  "comm.a2a.sign",
  "comm.a2a.verify",
  "comm.jws",
  "comm.jws.sign",
  "comm.jws.verify",
];

/**
 * Returns `true` if a case is untestable only because it needs a feature or an operation that is
 * left out.
 */
export function isLeftOut(reason: string): boolean {
  return isUntestable(reason, LEFT_OUT);
}

/** Same as {@linkcode isLeftOut}, for the Go driver. */
export function isLeftOutOfGo(reason: string): boolean {
  return isUntestable(reason, [...LEFT_OUT, ...LEFT_OUT_OF_GO]);
}

function isUntestable(reason: string, names: readonly string[]): boolean {
  return names.some((name) =>
    reason.endsWith(`the driver does not support the feature "${name}"`) ||
    reason.endsWith(`the driver does not implement the operation "${name}"`)
  );
}

/** Returns `true` if a feature or an operation is left out. */
export function isLeftOutName(name: string): boolean {
  return LEFT_OUT.includes(name);
}
