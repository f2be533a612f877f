import { assertEquals } from "@std/assert";
import { AgentCommMessage } from "../message/message.ts";
import { createVerifier, ReplayGuard } from "../policy.ts";
import type { MessageSigner } from "../signing/signing.ts";
import { createSigner, generateSigner, signMessage } from "../signing/signing.ts";

const BOB = (await createSigner({ seed: new Uint8Array(32).fill(2) })).did;

async function createTask(signer: MessageSigner): Promise<AgentCommMessage> {
  const message = new AgentCommMessage({
    sender: signer.did,
    recipient: BOB,
    protocol: "bank.transfer.v1",
    messageType: "request",
    payload: null,
  });
  return await signMessage(message, signer);
}

Deno.test("a sender that floods the replay guard cannot evict another sender's message", async () => {
  const replayGuard = new ReplayGuard({ maxEntries: 1000 });
  const verifier = createVerifier({ recipient: BOB, replayGuard });
  const outcomeOf = async (message: AgentCommMessage) => {
    const result = await verifier.verify(message);
    return result.ok ? "accepted" : result.reason;
  };
  const [ann, eve] = [await generateSigner(), await generateSigner()];
  const transfer = await createTask(ann);
  assertEquals(await outcomeOf(transfer), "accepted");

  const outcomes: string[] = [];
  for (let count = 0; count < 1100; count++) outcomes.push(await outcomeOf(await createTask(eve)));
  assertEquals(outcomes.filter((outcome) => outcome === "accepted").length, 100);
  assertEquals(new Set(outcomes), new Set(["accepted", "replay_guard_full"]));

  assertEquals(await outcomeOf(transfer), "replay_detected");
  assertEquals(await outcomeOf(await createTask(ann)), "accepted");
});

Deno.test("an attacker with many keys can fill the replay guard but cannot replay a message", async () => {
  const replayGuard = new ReplayGuard({ maxEntries: 100 });
  const verifier = createVerifier({ recipient: BOB, replayGuard });
  const ann = await generateSigner();
  const transfer = await createTask(ann);
  await verifier.verify(transfer);
  for (let count = 0; count < 200; count++) {
    await verifier.verify(await createTask(await generateSigner()));
  }
  assertEquals(replayGuard.size, 100);
  const replayed = await verifier.verify(transfer);
  assertEquals(replayed.ok || replayed.reason, "replay_detected");
  const next = await verifier.verify(await createTask(ann));
  assertEquals(next.ok || next.reason, "replay_guard_full");
});

Deno.test("an attacker with many keys cannot fill the replay guard of a verifier that accepts only named senders", async () => {
  const replayGuard = new ReplayGuard({ maxEntries: 100 });
  const ann = await generateSigner();
  const policy = { require: "reject", senders: { [ann.did]: "signature" } } as const;
  const verifier = createVerifier({ recipient: BOB, replayGuard, policy });
  for (let count = 0; count < 200; count++) {
    const result = await verifier.verify(await createTask(await generateSigner()));
    assertEquals(result.ok || result.reason, "sender_refused");
  }
  assertEquals(replayGuard.size, 0);
  assertEquals((await verifier.verify(await createTask(ann))).ok, true);
});
