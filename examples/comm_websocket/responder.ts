/**
 * The process that answers. It serves a WebSocket on loopback, accepts signed messages only, each once, and signs what
 * it answers.
 *
 *     deno run --allow-net=127.0.0.1 examples/comm_websocket/responder.ts
 *
 * It prints the address and its DID, which the requester wants to know.
 *
 * @module
 */

import { type AgentCommMessage, generateSigner, type MessageTransport } from "@parley/comm";
import { createVerifier, ReplayGuard } from "@parley/comm/policy";
import { acceptOffer, NEGOTIATION_PROTOCOL } from "@parley/comm/signed-negotiation";
import { webSocketTransport } from "@parley/comm/transport";
import { COUNT, COUNTED, countWords, WORD_COUNT } from "./word_count.ts";

const signer = await generateSigner();
const verifier = createVerifier({ recipient: signer.did, replayGuard: new ReplayGuard() });

/** The answer to a genuine message, or undefined when there is nothing to say to it. */
async function answer(message: AgentCommMessage): Promise<AgentCommMessage | undefined> {
  if (message.protocol === NEGOTIATION_PROTOCOL) {
    return await acceptOffer(message, { supportedProtocols: [WORD_COUNT], signer });
  }
  const words = countWords(message.payload);
  const isRequest = message.protocol === WORD_COUNT && message.messageType === COUNT;
  return isRequest && words !== undefined ? await signer.reply(message, COUNTED, words) : undefined;
}

/** Answers until the other side closes; whatever goes wrong ends this one conversation. */
async function converse(transport: MessageTransport): Promise<void> {
  try {
    for await (const message of transport) {
      const result = await verifier.verify(message);
      if (!result.ok) throw result.error;
      console.error(`verified ${message.messageType} from ${message.sender.slice(0, 20)}…`);
      const reply = await answer(message);
      if (reply !== undefined) await transport.send(reply);
    }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  } finally {
    await transport.close();
  }
}

Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => console.log(`ws://127.0.0.1:${port} ${signer.did}`),
}, (request) => {
  if (request.headers.get("upgrade") !== "websocket") return new Response(null, { status: 426 });
  const { socket, response } = Deno.upgradeWebSocket(request);
  converse(webSocketTransport(socket));
  return response;
});
