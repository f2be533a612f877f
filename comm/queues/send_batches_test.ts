import { assertEquals, assertRejects } from "@std/assert";
import { SendBatches } from "./send_batches.ts";

/** Batches whose store waits for a call to `release`. */
function setUp({ maxPendingMessages = 1000, maxPendingBytes = 1_000_000 } = {}) {
  const stored: string[][] = [];
  const waiting: PromiseWithResolvers<void>[] = [];
  const limits = { maxPendingMessages, maxPendingBytes };
  const batches = new SendBatches(limits, async (_inbox, batch) => {
    stored.push(batch.map(({ json }) => json));
    const gate = Promise.withResolvers<void>();
    waiting.push(gate);
    await gate.promise;
  });
  const send = (json: string, lane?: string, signal?: AbortSignal): Promise<void> =>
    batches.send("bob", { key: json, lane, json }, signal);
  async function release(): Promise<void> {
    await nextTurn();
    waiting.shift()?.resolve();
    await nextTurn();
  }
  return { batches, stored, send, release, waiting };
}

function nextTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      port2.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

Deno.test("SendBatches stores messages that are sent during a batch in the next batch", async () => {
  const { stored, send, release } = setUp();
  const sends = [send("a"), send("b")];
  await nextTurn();
  sends.push(send("c"), send("d"));
  await release();
  await release();
  await Promise.all(sends);
  assertEquals(stored, [["a", "b"], ["c", "d"]]);
});

Deno.test("SendBatches stores at most 100 messages, and one of each key and lane, in a batch", async () => {
  const { stored, send, release } = setUp();
  const sends = [send("1", "x"), send("2", "x"), send("3", "y"), send("3"), send("4", "x")];
  for (let count = 0; count < 3; count++) await release();
  await Promise.all(sends);
  assertEquals(stored, [["1", "3"], ["2", "3"], ["4"]]);

  const many = setUp();
  const all = Array.from({ length: 101 }, (_, index) => many.send(String(index)));
  for (let count = 0; count < 2; count++) await many.release();
  await Promise.all(all);
  assertEquals(many.stored.map(({ length }) => length), [100, 1]);
});

Deno.test("SendBatches does not store a message whose signal aborts before its batch", async () => {
  const { stored, send, release } = setUp();
  const first = send("a");
  await nextTurn();
  const controller = new AbortController();
  const second = send("b", undefined, controller.signal);
  controller.abort(new Error("enough"));
  await assertRejects(() => second, Error, "enough");
  await release();
  await first;
  assertEquals(stored, [["a"]]);
});

Deno.test("SendBatches rejects the messages of a failed batch and continues", async () => {
  const { send, release, waiting } = setUp();
  const first = send("a");
  await nextTurn();
  const second = send("b");
  waiting.shift()?.reject(new Error("the database is down"));
  await assertRejects(() => first, Error, "the database is down");
  await release();
  await second;
});

Deno.test("SendBatches limits the pending messages in number and in bytes", async () => {
  const count = setUp({ maxPendingMessages: 1 });
  const first = count.send("a");
  await assertRejects(() => count.send("b"), Error, "capacity 1");
  await count.release();
  await first;
  const next = count.send("c");
  await count.release();
  await next;

  const bytes = setUp({ maxPendingBytes: 10 });
  const large = bytes.send("x".repeat(20));
  await assertRejects(() => bytes.send("b"), Error, "10 bytes");
  await bytes.release();
  await large;
  await bytes.batches.settle();
});
