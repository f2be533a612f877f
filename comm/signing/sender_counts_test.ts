import { assertEquals, assertRejects } from "@std/assert";
import { SenderCounts } from "./sender_counts.ts";

Deno.test("SenderCounts limits the entries of each sender to its share, but to at least one", async () => {
  const counts = new SenderCounts(10, 0.2);
  for (const expected of [true, true, false]) {
    assertEquals(await counts.take("ann", 0, () => 0), expected);
  }
  assertEquals(await counts.take("ben", 0, () => 1), true);
  assertEquals(await counts.take("ben", 0, () => 1), false);
  counts.release("ben");
  assertEquals(await counts.take("ben", 0, () => 1), true);
  assertEquals(await new SenderCounts(1, 0.1).take("ann", 0, () => 0), true);
});

Deno.test("SenderCounts counts the entries of a sender once a minute, also for concurrent calls", async () => {
  const counts = new SenderCounts(100, 0.1);
  let calls = 0;
  const count = () => {
    calls++;
    return Promise.resolve(8);
  };
  const take = (nowMs: number) => counts.take("ann", nowMs, count);
  assertEquals(await Promise.all([take(0), take(0), take(0)]), [true, true, false]);
  assertEquals([await take(59_999), calls], [false, 1]);
  assertEquals([await take(60_000), calls], [true, 2]);
  // The clock has been set back.
  assertEquals([await take(-1), calls], [true, 3]);
});

Deno.test("SenderCounts rejects if the entries cannot be counted, and then tries again", async () => {
  const counts = new SenderCounts(10, 0.1);
  const failing = () => {
    throw new Error("the database is down");
  };
  await assertRejects(() => counts.take("ann", 0, failing), Error, "the database is down");
  await assertRejects(() => counts.take("ann", 0, () => Promise.reject(new Error("down"))));
  assertEquals(await counts.take("ann", 0, () => 0), true);
});

Deno.test("SenderCounts tracks a limited number of senders", async () => {
  const counts = new SenderCounts(10, 0.1);
  let calls = 0;
  const take = (sender: string) => counts.take(sender, 0, () => calls++ * 0);
  for (let index = 0; index <= 1000; index++) await take(`sender-${index}`);
  assertEquals([await take("sender-1000"), calls], [false, 1001]);
  assertEquals([await take("sender-0"), calls], [true, 1002]);
});
