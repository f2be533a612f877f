/**
 * Requests and responses between agents, over any `MessageTransport`.
 *
 * {@linkcode createPeer} creates a peer that sends requests, waits for their responses, and serves
 * the requests of other agents. All messages are signed, and a response is accepted only if it
 * comes from the recipient of the request. A peer does not resend requests: to process a request
 * again after a crash, use a transport that redelivers messages and a verifier with a replay store.
 *
 * @example Ask an agent and wait for the response
 * ```ts
 * import { createChannelPair, generateSigner } from "@parley/comm";
 * import { createVerifier, ReplayGuard } from "@parley/comm/policy";
 * import { createPeer } from "@parley/comm/requests";
 * import { assertEquals } from "@std/assert";
 *
 * const [ann, bob] = [await generateSigner(), await generateSigner()];
 * const [annSide, bobSide] = createChannelPair();
 * const protocol = "agent.task.v1";
 *
 * await using bobPeer = createPeer({
 *   signer: bob,
 *   verifier: createVerifier({ recipient: bob.did, replayGuard: new ReplayGuard() }),
 *   transport: bobSide,
 *   protocol,
 * });
 * bobPeer.serve(async ({ payload }, { update }) => {
 *   await update("thinking");
 *   return { echo: payload };
 * });
 *
 * await using annPeer = createPeer({
 *   signer: ann,
 *   verifier: createVerifier({ recipient: ann.did, replayGuard: new ReplayGuard() }),
 *   transport: annSide,
 *   protocol,
 * });
 * assertEquals(await annPeer.request(bob.did, "hello", { timeoutMs: 5000 }), { echo: "hello" });
 * ```
 *
 * @module
 */

export type { PeerContext, PeerHandler, PeerRequest } from "./requests/incoming.ts";
export type { PeerRequestOptions } from "./requests/outgoing.ts";
export { createPeer, type Peer } from "./requests/peer.ts";
export { PeerError } from "./requests/peer_error.ts";
export type { PeerLimits } from "./requests/peer_limits.ts";
export type { PeerOptions } from "./requests/peer_options.ts";
