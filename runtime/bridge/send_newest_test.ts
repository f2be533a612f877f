import { assertEquals } from "@std/assert";
import { sendNewest } from "./send_newest.ts";

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await null;
}

Deno.test("sendNewest() sends one value at a time and keeps only the newest", async () => {
  const sent: number[] = [];
  const settlers: (() => void)[] = [];
  const send = sendNewest<number>((value) => {
    sent.push(value);
    return new Promise((resolve) => settlers.push(resolve));
  }, () => {});
  for (let value = 1; value <= 1000; value++) send(value);
  await settle();
  assertEquals(sent.length, 1);
  settlers[0]?.();
  await settle();
  assertEquals(sent.at(-1), 1000);
  send(1001);
  send(1002);
  settlers[1]?.();
  await settle();
  assertEquals(sent.slice(-2), [1000, 1002]);
});

Deno.test("sendNewest() reports an error and sends the next value", async () => {
  const sent: number[] = [];
  const errors: unknown[] = [];
  const send = sendNewest<number>((value) => {
    sent.push(value);
    throw new Error("closed");
  }, (error) => errors.push(error));
  send(1);
  await settle();
  send(2);
  await settle();
  assertEquals([sent, errors.map(String)], [[1, 2], ["Error: closed", "Error: closed"]]);
});
