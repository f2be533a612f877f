import { assertEquals } from "@std/assert";
import { AgentCommMessage } from "../message/message.ts";
import { memoryQueue, Reject } from "../queues.ts";
import { nextTurn } from "./check_setup.ts";

const FLOOD = ["did:web:a.flood.com", "did:web:flood.com:b"];
const ANN = "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw";

function from(sender: string): AgentCommMessage {
  return new AgentCommMessage({
    sender,
    recipient: "did:web:bob.com",
    protocol: "agent.task.v1",
    messageType: "task_assign",
    payload: null,
  });
}

/** Stores eight messages of one domain and consumes them with four handlers that wait. */
async function consumeFlood(options: { readonly maxSharePerSender?: number }): Promise<string[]> {
  await using queue = memoryQueue({ inboxOf: () => "bob", onError: () => {}, ...options });
  for (let n = 0; n < 4; n++) {
    for (const sender of FLOOD) await queue.send(from(sender));
  }
  await queue.send(from(ANN));
  const stopping = new AbortController();
  const called: string[] = [];
  const consuming = queue.consume("bob", async ({ message: { sender }, signal }) => {
    called.push(sender);
    if (sender === ANN) return;
    await new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
  }, { concurrency: 4, signal: stopping.signal });
  await nextTurn();
  await queue.send(from(ANN));
  await nextTurn();
  stopping.abort();
  await consuming;
  return called;
}

Deno.test("the senders of one domain use at most maxSharePerSender of the handlers", async () => {
  const called = await consumeFlood({ maxSharePerSender: 0.5 });
  assertEquals(called.filter((sender) => sender === ANN).length, 2);
  assertEquals(called.length, 4);
});

Deno.test("by default, one domain can use all handlers, but parties take turns", async () => {
  const called = await consumeFlood({});
  assertEquals([called.length, called[1]], [5, ANN]);
});

Deno.test("the senders of one domain use at most maxSharePerSender of the stored messages", async () => {
  await using queue = memoryQueue({
    inboxOf: () => "bob",
    maxMessages: 8,
    maxSharePerSender: 0.25,
  });
  for (const sender of FLOOD) await queue.send(from(sender));
  const codes: string[] = [];
  for (const sender of [...FLOOD, ANN]) {
    await queue.send(from(sender)).then(() => codes.push("stored"), ({ code }) => codes.push(code));
  }
  assertEquals(codes, ["capacity_exceeded", "capacity_exceeded", "stored"]);
});

Deno.test("a message does not hold back another message with the same sender and id", async () => {
  await using queue = memoryQueue({
    inboxOf: () => "bob",
    onError: () => {},
    retryDelayMs: 60_000,
  });
  const genuine = from(ANN);
  await queue.send(new AgentCommMessage({ ...genuine, payload: "forged" }));
  await queue.send(genuine);
  const stopping = new AbortController();
  const payloads: unknown[] = [];
  await queue.consume("bob", ({ message: { payload } }) => {
    payloads.push(payload);
    if (payload === "forged") throw new Error("the keys are not available");
    stopping.abort();
  }, { concurrency: 1, signal: stopping.signal });
  assertEquals(payloads, ["forged", null]);
});

Deno.test("the senders of one domain do not use up the ids of acknowledged messages", async () => {
  await using queue = memoryQueue({
    inboxOf: () => "bob",
    maxMessages: 8,
    maxSharePerSender: 0.5,
  });
  const message = from(ANN);
  const stopping = new AbortController();
  let count = 0;
  const consuming = queue.consume("bob", ({ message: { id } }) => {
    if (id === message.id) count++;
  }, { signal: stopping.signal });
  await queue.send(message);
  await nextTurn();
  for (let n = 0; n < 20; n++) {
    await queue.send(from(FLOOD[n % 2] ?? ""));
    await nextTurn();
  }
  await queue.send(message);
  await nextTurn();
  stopping.abort();
  await consuming;
  assertEquals(count, 1);
});

Deno.test("the dead letters of one domain do not drop those of another sender", async () => {
  await using queue = memoryQueue({
    inboxOf: () => "bob",
    onError: () => {},
    maxDeadLetters: 8,
    maxDeadLetterShare: 0.25,
  });
  const message = from(ANN);
  await queue.send(message);
  for (let n = 0; n < 12; n++) await queue.send(from(`did:web:x${n}.flood.com`));
  const stopping = new AbortController();
  const consuming = queue.consume("bob", () => {
    throw new Reject("poison");
  }, { signal: stopping.signal });
  for (let n = 0; n < 4; n++) await nextTurn();
  stopping.abort();
  await consuming;
  const ids = (await queue.deadLetters("bob")).map((letter) => letter.message?.id);
  assertEquals([ids.length, ids.includes(message.id)], [3, true]);
});
