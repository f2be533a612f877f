import { assertEquals, assertRejects } from "@std/assert";
import { Slots } from "./semaphore.ts";

Deno.test("Slots are taken at once, then waited for in line, then refused", async () => {
  const slots = new Slots(1, 2);
  assertEquals(slots.take(), "taken");
  const order: string[] = [];
  const [first, second] = ["first", "second"].map(async (name) => {
    await slots.take();
    order.push(name);
  });
  assertEquals(slots.take(), undefined);
  slots.give();
  await first;
  slots.give();
  await second;
  assertEquals(order, ["first", "second"]);
  slots.give();
  assertEquals(slots.take(), "taken");
});

Deno.test("who leaves the line leaves its place to others", async () => {
  const slots = new Slots(1, 1);
  slots.take();
  const controller = new AbortController();
  const reason = new Error("enough");
  const impatient = assertRejects(async () => await slots.take(controller.signal));
  controller.abort(reason);
  assertEquals(await impatient, reason);
  assertEquals(await assertRejects(async () => await slots.take(controller.signal)), reason);
  const patient = slots.take();
  slots.give();
  assertEquals(await patient, undefined);
  slots.give();
  assertEquals(slots.take(), "taken");
});
