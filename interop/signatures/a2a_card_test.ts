/**
 * Lets the A2A SDK verify agent cards that we serve and sign, and verifies cards that it has
 * signed.
 */

import { AgentCard, generateAgentCardSignature, verifyAgentCardSignature } from "@a2a-js/sdk";
import { assertEquals, assertRejects } from "@std/assert";
import { createSigner } from "@parley/comm";
import { signJson, verifyJson } from "@parley/comm/jws";
import { AGENT_CARD_PATH, agentCardHandler, toCanonicalCard } from "@parley/runtime/a2a";

const SIGNER = await createSigner({ seed: new Uint8Array(32).fill(7) });
const VERIFY_OPTIONS = { exclude: ["signatures"], signer: SIGNER.did };

function toBase64url(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}

const PUBLIC_JWK = {
  kty: "OKP",
  crv: "Ed25519",
  alg: "EdDSA",
  x: toBase64url(SIGNER.publicKey),
};

/** The card that our endpoint serves, with members that have their default value. */
async function serveCard(isSigned: boolean): Promise<Record<string, unknown>> {
  const handler = await agentCardHandler({
    name: "Zürich",
    description: "Answers questions",
    version: "1.0.0",
    skills: [{ id: "s", name: "S", description: "Answers", tags: ["t"], examples: [] }],
    // Not empty: the SDK omits empty texts from what it signs, and section 8.4.1 includes them.
    documentationUrl: "https://example.com/docs",
    provider: { organization: "Example", url: "https://example.com" },
  }, {
    url: "https://agent.example/a2a",
    handler: { capabilities: { streaming: true, pushNotifications: false } },
    ...(isSigned ? { sign: (card) => signJson(card, SIGNER) } : {}),
  });
  const response = await handler(new Request(`https://agent.example${AGENT_CARD_PATH}`));
  return await response.json();
}

Deno.test("the A2A SDK verifies a card that agentCardHandler() has signed", async () => {
  const card = await serveCard(true);
  const verify = verifyAgentCardSignature(() => Promise.resolve(PUBLIC_JWK));
  await verify(AgentCard.fromJSON(card));
  const changed = AgentCard.fromJSON({ ...card, name: "Zurich" });
  await assertRejects(() => verify(changed), Error, "No valid signatures");
});

Deno.test("verifyJson() accepts a card that the A2A SDK has signed", async () => {
  const key = { ...PUBLIC_JWK, d: toBase64url(new Uint8Array(32).fill(7)) };
  const sign = generateAgentCardSignature(key, {
    alg: "EdDSA",
    kid: SIGNER.keyId,
    typ: "JOSE",
  });
  const signed = await sign(AgentCard.fromJSON(await serveCard(false)));
  const { signatures: [signature] } = signed;
  const card = toCanonicalCard(JSON.parse(JSON.stringify(AgentCard.toJSON(signed))));
  assertEquals(await verifyJson(card, signature, VERIFY_OPTIONS), {
    ok: true,
    did: SIGNER.did,
    keyId: SIGNER.keyId,
  });
  const changed = await verifyJson({ ...card, name: "Zurich" }, signature, VERIFY_OPTIONS);
  assertEquals(changed.ok || changed.reason, "signature_invalid");
});
