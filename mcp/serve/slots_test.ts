import { assertEquals } from "@std/assert";
import { Slots } from "./slots.ts";

Deno.test("Slots are taken at once, then waited for in line, then refused", async () => {
  const slots = new Slots(1, 1);
  assertEquals(slots.take(), "taken");
  const waiting = slots.take();
  assertEquals(slots.take(), undefined);
  slots.give();
  assertEquals(await waiting, undefined);
  slots.give();
  assertEquals(slots.take(), "taken");
});
