import { assertEquals } from "@std/assert";
import { EventLog } from "./event_log.ts";

async function numbers(log: EventLog, after: number): Promise<number[]> {
  const events = await Array.fromAsync(log.read(after));
  return events.map(({ number }) => number);
}

Deno.test("EventLog.read() yields stored events, then new events", async () => {
  const log = new EventLog({ maxEvents: 10 });
  log.append("a");
  log.append("b");
  const rest = numbers(log, 1);
  log.append("c");
  log.end();
  assertEquals([await rest, await numbers(log, 0), await numbers(log, 3)], [[2, 3], [1, 2, 3], []]);
  assertEquals([log.count, log.isEnded], [3, true]);
});

Deno.test("EventLog stores only the newest events", async () => {
  const log = new EventLog({ maxEvents: 3 });
  for (let count = 1; count <= 10; count++) log.append(`${count}`);
  log.end();
  assertEquals([await numbers(log, 0), await numbers(log, 9)], [[8, 9, 10], [10]]);
});

Deno.test("a new reader of an EventLog detaches the previous reader, as detachReader() does", async () => {
  const log = new EventLog({ maxEvents: 10 });
  const first = numbers(log, 0);
  const second = log.read(0);
  const waiting = second.next();
  assertEquals(await first, []);
  log.append("a");
  assertEquals((await waiting).value?.data, "a");
  const done = second.next();
  log.detachReader();
  assertEquals((await done).done, true);
});
