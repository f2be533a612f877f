import { assert, assertEquals, assertRejects } from "@std/assert";
import { didKeyResolver } from "../did/key.ts";
import { AgentCommMessage } from "../message/message.ts";
import { generateSigner, signMessage } from "./signing.ts";
import { verifyAll } from "./verify_all.ts";

const ANN = await generateSigner();
const recipient = "did:web:bob.example";

async function createMessages(count: number): Promise<AgentCommMessage[]> {
  const messages = Array.from({ length: count }, (_, index) =>
    new AgentCommMessage({
      id: String(index),
      sender: ANN.did,
      recipient,
      protocol: "agent.task.v1",
      messageType: "notification",
      payload: index,
    }));
  return await Promise.all(messages.map((message) => signMessage(message, ANN)));
}

Deno.test("verifyAll() returns results in the order of the messages", async () => {
  const messages = await createMessages(20);
  const [first] = messages;
  assert(first !== undefined);
  messages[7] = new AgentCommMessage({ ...first, payload: "forged" });
  const results = await verifyAll(messages, { recipient, concurrency: 3 });
  assertEquals(results.map((result) => result.ok), messages.map((_, index) => index !== 7));
});

Deno.test("verifyAll() limits the number of concurrent verifications", async () => {
  let running = 0;
  let most = 0;
  const resolver = {
    async resolve(did: string) {
      most = Math.max(most, ++running);
      const result = await didKeyResolver.resolve(did);
      running--;
      return result;
    },
  };
  await verifyAll(await createMessages(20), { recipient, concurrency: 4, resolver });
  assertEquals(most, 4);
});

Deno.test("verifyAll() accepts any iterable and rejects an invalid concurrency", async () => {
  assertEquals(await verifyAll([], { recipient }), []);
  const [message] = await createMessages(1);
  assert(message !== undefined);
  assertEquals((await verifyAll(new Set([message]), { recipient })).length, 1);
  assertEquals((await verifyAll([message], { recipient, concurrency: 2 ** 40 })).length, 1);
  for (const concurrency of [0, 1.5, Infinity]) {
    await assertRejects(() => verifyAll([], { recipient, concurrency }), RangeError);
  }
});

Deno.test("verifyAll() rejects if its signal is aborted", async () => {
  const signal = AbortSignal.abort(new Error("enough"));
  const messages = await createMessages(2);
  await assertRejects(() => verifyAll(messages, { recipient, signal }), Error, "enough");
});
