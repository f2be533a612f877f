import { assertEquals, assertRejects } from "@std/assert";
import { createGate } from "../runtime/testing/gate.ts";
import { Semaphore } from "./semaphore.ts";

const never = new AbortController().signal;

Deno.test("Slots executes at most the given number of tasks at a time, in the order of the requests", async () => {
  const slots = new Semaphore(2);
  const gates = [createGate(), createGate(), createGate(), createGate()];
  const started: number[] = [];
  const tasks = gates.map((gate, index) =>
    slots.use(never, async () => {
      started.push(index);
      await gate.wait();
    })
  );
  await Promise.all([gates[0]?.reached, gates[1]?.reached]);
  assertEquals(started, [0, 1]);
  gates[1]?.release();
  await gates[2]?.reached;
  assertEquals(started, [0, 1, 2]);
  for (const gate of gates) gate.release();
  await Promise.all(tasks);
  assertEquals(started, [0, 1, 2, 3]);
});

Deno.test("Slots does not execute a task whose signal is aborted before a slot is free", async () => {
  const slots = new Semaphore(1);
  const gate = createGate();
  const first = slots.use(never, () => gate.wait());
  const aborting = new AbortController();
  const second = slots.use(aborting.signal, () => Promise.reject(new Error("executed")));
  const third = slots.use(never, () => Promise.resolve("third"));
  aborting.abort(new Error("stopped"));
  await assertRejects(() => second, Error, "stopped");
  await assertRejects(() => slots.use(aborting.signal, () => Promise.resolve()), Error, "stopped");
  gate.release();
  await first;
  assertEquals(await third, "third");
});

Deno.test("Slots frees the slot of a task that rejects", async () => {
  const slots = new Semaphore(1);
  await assertRejects(() => slots.use(never, () => Promise.reject(new Error("failed"))), Error);
  assertEquals(await slots.use(never, () => Promise.resolve(1)), 1);
});
