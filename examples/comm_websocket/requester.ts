/**
 * The requester, which negotiates the protocol, sends a signed request and verifies that the
 * responder signed the result.
 *
 *     deno run --allow-net=127.0.0.1 examples/comm_websocket/requester.ts ws://127.0.0.1:PORT DID "some text"
 *
 * @module
 */

import {
  AgentCommMessage,
  createProtocolOffer,
  generateSigner,
  type MessageTransport,
  signMessage,
} from "@parley/comm";
import { createVerifier } from "@parley/comm/policy";
import { signOffer, verifyAcceptance } from "@parley/comm/signed-negotiation";
import { webSocketTransport } from "@parley/comm/transport";
import { COUNT, WORD_COUNT } from "./word_count.ts";

/** Timeout for the whole conversation. */
const signal = AbortSignal.timeout(10_000);

async function receive(transport: MessageTransport): Promise<AgentCommMessage> {
  const message = await transport.receive({ signal });
  if (message === undefined) {
    throw new Error("Cannot receive a message: the responder closed the connection");
  }
  return message;
}

/**
 * Requests the number of words. Accepts a result only if it is signed with a key that belongs to
 * the responder's DID.
 */
async function ask(transport: MessageTransport, responder: string, text: string): Promise<string> {
  const signer = await generateSigner();
  const protocols = ["example.word-count.v2", WORD_COUNT];
  const offer = await signOffer(
    createProtocolOffer({ offererDid: signer.did, protocols }),
    responder,
    {
      signer,
    },
  );
  await transport.send(offer, { signal });
  const { selectedProtocol } = await verifyAcceptance(await receive(transport), { offer });

  const request = new AgentCommMessage({
    sender: signer.did,
    recipient: responder,
    protocol: selectedProtocol,
    messageType: COUNT,
    payload: text,
  });
  await transport.send(await signMessage(request, signer), { signal });

  const reply = await receive(transport);
  const verifier = createVerifier({ recipient: signer.did });
  const result = await verifier.verify(reply, { signal });
  if (!result.ok) throw result.error;
  if (reply.sender !== responder || reply.correlationId !== request.id) {
    throw new Error("Cannot accept the result: it does not belong to the request");
  }
  return `${reply.payload} words, signed by ${result.keyId}`;
}

async function main([url, responder, text]: readonly string[]): Promise<number> {
  if (url === undefined || responder === undefined || text === undefined) {
    console.error("Usage: requester.ts URL DID TEXT");
    return 2;
  }
  const transport = webSocketTransport(new WebSocket(url));
  try {
    console.log(await ask(transport, responder, text));
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return 1;
  } finally {
    await transport.close();
  }
}

Deno.exitCode = await main(Deno.args);
