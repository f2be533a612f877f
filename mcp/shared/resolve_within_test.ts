import { assertEquals, assertRejects } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { within } from "./resolve_within.ts";

Deno.test("within() gives what comes in time, and undefined for what does not", async () => {
  using time = new FakeTime();
  assertEquals(await within(Promise.resolve(1), 10), 1);
  await assertRejects(() => within(Promise.reject(new Error("no")), 10), Error, "no");
  const late = within(new Promise(() => {}), 10);
  await time.tickAsync(10);
  assertEquals(await late, undefined);
});
