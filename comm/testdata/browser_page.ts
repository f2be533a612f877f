/**
 * What a browser does to show that this package works in it: sign, verify, agree with the other backend at every edge,
 * and talk over a WebSocket. The page posts the outcome.
 *
 * @module
 */

import { WEB_CRYPTO } from "../ed25519.ts";
import { NOBLE } from "../ed25519_noble.ts";
import { AgentCommMessage, generateSigner, signMessage, verifyMessage } from "../mod.ts";
import { createVerifier, ReplayGuard } from "../policy.ts";
import { proveMessage, verifyProof } from "../proof.ts";
import { webSocketTransport } from "../transport.ts";
import { createEdgeVectors } from "./ed25519_edges.ts";

function assertTrue(claim: boolean, what: string): void {
  if (!claim) throw new Error(`Not true: ${what}`);
}

async function checkEdges(): Promise<number> {
  const vectors = await createEdgeVectors();
  for (const { name, publicKey, data, signature, holds } of vectors) {
    for (const backend of [WEB_CRYPTO, NOBLE]) {
      const key = await backend.openPublicKey(publicKey);
      const verdict = await key.verify(signature, data);
      assertTrue(verdict === holds, `${backend.name} on ${name}`);
    }
  }
  return vectors.length;
}

/** The server sends every message back as it is. */
async function checkWebSocket(url: string): Promise<void> {
  const signer = await generateSigner();
  const transport = webSocketTransport(new WebSocket(url));
  const message = new AgentCommMessage({
    sender: signer.did,
    recipient: signer.did,
    protocol: "example.echo.v1",
    messageType: "request",
    payload: { text: "é\u{1f600}", list: [1, 2.5, null] },
  });
  const proven = await proveMessage(await signMessage(message, signer), signer);
  await transport.send(proven);
  const received = await transport.receive({ signal: AbortSignal.timeout(5000) });
  assertTrue(received?.equals(proven) === true, "a message survives the WebSocket");
  assertTrue((await verifyMessage(proven)).ok, "its signature verifies");
  const verifier = createVerifier({
    recipient: signer.did,
    policy: { require: "proof" },
    replayGuard: new ReplayGuard(),
    verifyProof,
  });
  assertTrue((await verifier.verify(received ?? message)).ok, "its proof verifies");
  await transport.close();
}

async function main(): Promise<string> {
  try {
    const vectors = await checkEdges();
    await checkWebSocket(`ws://${location.host}/echo`);
    return `passed, ${vectors} edge vectors`;
  } catch (error) {
    return `failed: ${error}`;
  }
}

await fetch("/done", { method: "POST", body: await main() });
