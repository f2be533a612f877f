import { assertEquals } from "@std/assert";
import { Slots } from "./slots.ts";

Deno.test("Slots are taken at once, then waited for in line, then refused", async () => {
  const slots = new Slots(1, 1);
  assertEquals(await slots.take(), true);
  const waiting = slots.take();
  assertEquals(await slots.take(), false);
  slots.give();
  assertEquals(await waiting, true);
  slots.give();
  assertEquals(await slots.take(), true);
});
