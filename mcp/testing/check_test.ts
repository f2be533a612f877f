import { assertRejects } from "@std/assert";
import { check } from "./check.ts";

Deno.test("check() rejects a timeout that is longer than the longest delay of a timer", async () => {
  const passing = check("passes", () => Promise.resolve());
  await passing.run(() => undefined, { timeoutMs: 2 ** 31 - 1 });
  await assertRejects(
    () => passing.run(() => undefined, { timeoutMs: 2 ** 31 }),
    RangeError,
    '"timeoutMs" must be an integer from 1 to 2147483647, got 2147483648',
  );
});
