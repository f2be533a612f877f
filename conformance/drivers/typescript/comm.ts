/**
 * `comm` operations, implemented with `@parley/comm`.
 *
 * @module
 */

import type { LibraryPart } from "./assemble_program.ts";
import { A2A_OPS } from "./comm_a2a.ts";
import { JWS_OPS } from "./comm_jws.ts";
import { MESSAGE_OPS } from "./comm_message.ts";
import { NEGOTIATION_OPS } from "./comm_negotiation.ts";
import { POLICY_OPS } from "./comm_policy.ts";
import { REQUEST_OPS } from "./comm_requests.ts";
import { RESOLVER_OPS } from "./comm_resolver.ts";
import { TRANSPORT_OPS } from "./comm_transport.ts";
import { WIRE_OPS } from "./comm_wire.ts";
import type { Operation } from "./operation.ts";

const OPS: Readonly<Record<string, Operation>> = {
  ...A2A_OPS,
  ...JWS_OPS,
  ...MESSAGE_OPS,
  ...NEGOTIATION_OPS,
  ...POLICY_OPS,
  ...REQUEST_OPS,
  ...RESOLVER_OPS,
  ...TRANSPORT_OPS,
  ...WIRE_OPS,
};

const FEATURES: Readonly<Record<string, boolean>> = {
  "comm.a2a": true,
  "comm.aborted": true,
  "comm.channel.overflow": true,
  "comm.channel.try": true,
  "comm.decode.limits": true,
  "comm.decode.pad": true,
  "comm.did.document": true,
  "comm.did.jwk": true,
  "comm.did.jwk.encode": true,
  "comm.did.web": true,
  "comm.jws": true,
  "comm.message.change": true,
  "comm.message.extensions": true,
  "comm.message.initText": true,
  "comm.message.verifyAll": true,
  "comm.negotiation.offer": true,
  "comm.negotiation.resolver": true,
  "comm.negotiation.freshness": true,
  "comm.policy.reject": true,
  "comm.proof.age": true,
  "comm.proof.challenge": true,
  "comm.protocol.format": true,
  "comm.replayStore.options": true,
  "comm.requests": true,
  "comm.requests.concurrentUpdates": true,
  "comm.requests.options": true,
  "comm.requests.resolver": true,
  "comm.resolver.clock": true,
  "comm.resolver.options": true,
  "comm.signer.generate": true,
  "comm.stream.end": true,
  "comm.transport.options": true,
  "comm.verifier.clock": true,
  "comm.verifier.options": true,
};

/** Operations and features of the driver for `@parley/comm`. */
export const COMM_PART: LibraryPart = { ops: OPS, features: FEATURES };
