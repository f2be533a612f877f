import { assertEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { messageTooLarge } from "../shared/error.ts";
import { toInvalidHandler } from "./on_invalid.ts";

Deno.test("toInvalidHandler() has at most 100 pending calls, and prints further errors", async () => {
  using printed = stub(console, "error");
  const gate = Promise.withResolvers<void>();
  let calls = 0;
  const handle = toInvalidHandler(async () => {
    calls++;
    await gate.promise;
    throw new Error("failed");
  });
  for (let n = 0; n < 150; n++) handle(messageTooLarge(1, 2));
  assertEquals([calls, printed.calls.length], [100, 1]);
  gate.resolve();
  for (let turn = 0; turn < 20; turn++) await undefined;
  assertEquals(printed.calls.length, 2);
  handle(messageTooLarge(1, 2));
  assertEquals(calls, 101);
});
