/**
 * An agent is served over A2A to callers that sign their requests instead of sending a token.
 *
 *     deno run examples/signed_a2a/main.ts
 *
 * @module
 */

import { generateSigner } from "@parley/comm";
import { A2A_SIGNED_MESSAGE, signA2aRequest, verifyA2aRequest } from "@parley/comm/a2a";
import { signJson, verifyJson } from "@parley/comm/jws";
import { createVerifier, ReplayGuard } from "@parley/comm/policy";
import { verifyProof } from "@parley/comm/proof";
import { ToolLoopAgent } from "@parley/runtime";
import {
  A2aError,
  a2aHandler,
  AGENT_CARD_PATH,
  agentCardHandler,
  toCanonicalCard,
} from "@parley/runtime/a2a";
import { serveSessions } from "@parley/runtime/serve";
import { memoryStorage } from "@parley/runtime/session";
import { scriptedModel } from "@parley/runtime/testing";

const URL_OF_ORACLE = "https://oracle.example/a2a";
const [ann, oracle] = [await generateSigner(), await generateSigner()];

// The oracle accepts each request once, and only from Ann.
const verifier = createVerifier({
  recipient: oracle.did,
  policy: { require: "reject", senders: { [ann.did]: "proof" } },
  replayGuard: new ReplayGuard(),
  verifyProof,
});
await using agent = serveSessions({
  storage: memoryStorage(),
  make: () => new ToolLoopAgent({ name: "oracle", model: scriptedModel([{ text: "42" }]) }),
});
const handler = a2aHandler(agent, {
  extensions: [{
    uri: A2A_SIGNED_MESSAGE,
    params: { did: oracle.did },
    isRequired: true,
    check: async (request) => {
      const result = await verifyA2aRequest(request, verifier);
      if (!result.ok) throw new A2aError("UNAUTHENTICATED", result.reason);
      console.log("Request from Ann:", result.did === ann.did);
      return { subject: result.did };
    },
  }],
});
const serveCard = await agentCardHandler({
  name: "oracle",
  description: "Answers questions",
  version: "1.0.0",
  skills: [{ id: "answer", name: "Answer", description: "Answers a question", tags: ["math"] }],
}, { url: URL_OF_ORACLE, handler, sign: (card) => signJson(card, oracle) });

// Ann verifies the card, and learns the DID of the oracle from it.
const card = await (await serveCard(new Request(new URL(AGENT_CARD_PATH, URL_OF_ORACLE)))).json();
const options = { exclude: ["signatures"], signer: oracle.did };
console.log("Card:", (await verifyJson(toCanonicalCard(card), card.signatures[0], options)).ok);
const declared = card.capabilities.extensions;
const { params } = declared.find((each: { uri: string }) => each.uri === A2A_SIGNED_MESSAGE);

const JSON_HEADERS = { "content-type": "application/json", "a2a-version": "1.0" };
async function send(request: object): Promise<void> {
  const headers = { ...JSON_HEADERS, "a2a-extensions": A2A_SIGNED_MESSAGE };
  const init = { method: "POST", headers, body: JSON.stringify(request) };
  const response = await handler(new Request(`${URL_OF_ORACLE}/message:send`, init));
  const { task, error } = await response.json();
  console.log(response.status, error?.message ?? task.artifacts[0].parts[0].text);
}

const message = { messageId: "1", role: "ROLE_USER", parts: [{ text: "6 * 7?" }] };
const signed = await signA2aRequest({ message }, { signer: ann, recipient: params.did });
await send({ ...signed, configuration: { historyLength: 0 } });
await send(signed);
await send(signed);
