import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { limitRate } from "./limit_rate.ts";

Deno.test("limitRate() sends the first value at once, and then the newest value per interval", () => {
  using time = new FakeTime();
  const sent: number[] = [];
  const limit = limitRate<number>(100, (value) => sent.push(value), () => {});
  for (let value = 0; value < 1000; value++) limit.push(value);
  assertEquals(sent, [0]);
  time.tick(100);
  assertEquals(sent, [0, 999]);
  time.tick(1000);
  limit.push(1000);
  limit.push(1001);
  assertEquals(sent, [0, 999, 1000]);
  limit.end();
  limit.push(1002);
  limit.end();
  time.tick(1000);
  assertEquals(sent, [0, 999, 1000, 1001]);
});

Deno.test("limitRate() continues after an error", () => {
  using time = new FakeTime();
  const errors: unknown[] = [];
  const fail = (value: number): void => {
    throw value;
  };
  const limit = limitRate<number>(100, fail, (error) => errors.push(error));
  limit.push(1);
  limit.push(2);
  time.tick(100);
  limit.push(3);
  limit.end();
  assertEquals(errors, [1, 2, 3]);
});
