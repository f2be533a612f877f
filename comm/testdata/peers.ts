/**
 * Peers and scripted counterparts for tests of the request protocol.
 *
 * @module
 */

import { AgentCommMessage } from "../message/message.ts";
import type { AgentCommMessageInit } from "../message/message_members.ts";
import { createVerifier, type MessageVerifier, ReplayGuard } from "../policy.ts";
import { createPeer, type Peer, type PeerOptions } from "../requests.ts";
import { createSigner, type MessageSigner, signMessage } from "../signing/signing.ts";
import { type ChannelTransport, createChannelPair } from "../transport/channel.ts";

export const ANN: MessageSigner = await createSigner({ seed: new Uint8Array(32).fill(1) });
export const BOB: MessageSigner = await createSigner({ seed: new Uint8Array(32).fill(2) });
export const EVE: MessageSigner = await createSigner({ seed: new Uint8Array(32).fill(3) });
export const PROTOCOL = "agent.task.v1";

export function verifierOf(signer: MessageSigner): MessageVerifier {
  return createVerifier({ recipient: signer.did, replayGuard: new ReplayGuard() });
}

/** A peer under test, and the other end of its transport. */
export interface PeerSetup extends AsyncDisposable {
  readonly peer: Peer;
  readonly remote: ChannelTransport;
  /** Errors that the peer has reported. */
  readonly errors: unknown[];
  /** Receives the next message from the peer. */
  next(): Promise<AgentCommMessage>;
}

/** Creates a peer for Ann. The test acts as the other end of the transport. */
export function setUp(options: Partial<PeerOptions> = {}): PeerSetup {
  const [transport, remote] = createChannelPair();
  const errors: unknown[] = [];
  const peer = createPeer({
    signer: ANN,
    verifier: verifierOf(ANN),
    transport,
    protocol: PROTOCOL,
    onError: (error) => errors.push(error),
    ...options,
  });
  return {
    peer,
    remote,
    errors,
    async next() {
      const message = await remote.receive();
      if (message === undefined) throw new Error("the peer has closed its transport");
      return message;
    },
    async [Symbol.asyncDispose]() {
      await peer.close();
      await remote.close();
    },
  };
}

/** Creates a signed request to Ann. */
export async function requestFrom(
  signer: MessageSigner,
  init: Partial<AgentCommMessageInit> = {},
): Promise<AgentCommMessage> {
  const message = new AgentCommMessage({
    sender: signer.did,
    recipient: ANN.did,
    protocol: PROTOCOL,
    messageType: "request",
    payload: null,
    ...init,
  });
  return await signMessage(message, signer);
}

/** Creates a signed reply to a request, from any signer. */
export async function answerFrom(
  signer: MessageSigner,
  request: AgentCommMessage,
  init: Partial<AgentCommMessageInit> = {},
): Promise<AgentCommMessage> {
  return await requestFrom(signer, {
    recipient: request.sender,
    correlationId: request.id,
    messageType: "response",
    ...init,
  });
}
