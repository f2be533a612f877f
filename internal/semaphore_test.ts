import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Semaphore } from "./semaphore.ts";

Deno.test("acquire() returns immediately, waits in the queue, or returns undefined if the queue is full", async () => {
  const semaphore = new Semaphore(1, 2);
  assertEquals(semaphore.acquire(), "acquired");
  const order: string[] = [];
  const [first, second] = ["first", "second"].map(async (name) => {
    await semaphore.acquire();
    order.push(name);
  });
  assertEquals(semaphore.acquire(), undefined);
  semaphore.release();
  await first;
  semaphore.release();
  await second;
  assertEquals(order, ["first", "second"]);
  semaphore.release();
  assertEquals(semaphore.acquire(), "acquired");
});

Deno.test("an aborted acquire() is removed from the queue", async () => {
  const semaphore = new Semaphore(1, 1);
  semaphore.acquire();
  const controller = new AbortController();
  const reason = new Error("enough");
  const impatient = assertRejects(async () => await semaphore.acquire(controller.signal));
  controller.abort(reason);
  assertEquals(await impatient, reason);
  assertEquals(await assertRejects(async () => await semaphore.acquire(controller.signal)), reason);
  const patient = semaphore.acquire();
  semaphore.release();
  assertEquals(await patient, undefined);
  semaphore.release();
  assertEquals(semaphore.acquire(), "acquired");
});

Deno.test("acquire() throws the reason of an aborted signal and keeps the free permit", () => {
  const semaphore = new Semaphore(1, 1);
  const reason = new Error("enough");
  const error = assertThrows(() => void semaphore.acquire(AbortSignal.abort(reason)));
  assertEquals(error, reason);
  assertEquals(semaphore.acquire(), "acquired");
  assertEquals(assertThrows(() => void semaphore.acquire(AbortSignal.abort(reason))), reason);
});
