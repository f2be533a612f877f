/**
 * The process that asks. It negotiates the protocol, sends a signed request, and trusts the answer only when it is
 * signed by the agent it asked.
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

/** Nobody waits longer for the other side. */
const signal = AbortSignal.timeout(10_000);

async function receive(transport: MessageTransport): Promise<AgentCommMessage> {
  const message = await transport.receive({ signal });
  if (message === undefined) throw new Error("The responder closed the connection");
  return message;
}

/** Asks for the number of words; the responder's DID says whose answer counts. */
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

  const answer = await receive(transport);
  const verifier = createVerifier({ recipient: signer.did });
  const result = await verifier.verify(answer, { signal });
  if (!result.ok) throw result.error;
  if (answer.sender !== responder || answer.correlationId !== request.id) {
    throw new Error("The answer is not to this request");
  }
  return `${answer.payload} words, says ${result.keyId}`;
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
