/**
 * The responder, which serves a WebSocket on loopback, accepts each signed message once and signs
 * its replies.
 *
 *     deno run --allow-net=127.0.0.1 examples/comm_websocket/responder.ts
 *
 * The responder prints its URL and DID. Pass the URL and the DID to the requester as arguments.
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

/** Returns the reply to a verified message, or `undefined` if the message does not need a reply. */
async function createReply(message: AgentCommMessage): Promise<AgentCommMessage | undefined> {
  if (message.protocol === NEGOTIATION_PROTOCOL) {
    return await acceptOffer(message, { supportedProtocols: [WORD_COUNT], signer });
  }
  const words = countWords(message.payload);
  const isRequest = message.protocol === WORD_COUNT && message.messageType === COUNT;
  return isRequest && words !== undefined ? await signer.reply(message, COUNTED, words) : undefined;
}

/** Replies to messages until the connection closes. An error closes only this connection. */
async function converse(transport: MessageTransport): Promise<void> {
  try {
    for await (const message of transport) {
      const result = await verifier.verify(message);
      if (!result.ok) throw result.error;
      console.error(`verified ${message.messageType} from ${message.sender.slice(0, 20)}…`);
      const reply = await createReply(message);
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
