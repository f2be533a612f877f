import { assertEquals } from "@std/assert";
import { EventLog } from "./event_log.ts";
import { SharedStorage } from "./memory_budget.ts";

/** Creates a log. A one-character event counts as 129 characters. */
function createLog({ maxEvents = 10, maxChars = 100_000 } = {}): EventLog {
  const shared = new SharedStorage({
    maxChars,
    maxTotalChars: 2 * maxChars,
    maxSharePerPrincipal: 1,
  });
  return new EventLog({ maxEvents }, shared.open(undefined));
}

async function numbers(log: EventLog, after: number): Promise<number[]> {
  const events = await Array.fromAsync(log.read(after));
  return events.map(({ number }) => number);
}

Deno.test("EventLog.read() yields stored events, then new events", async () => {
  const log = createLog();
  log.append("a");
  log.append("b");
  const rest = numbers(log, 1);
  log.append("c");
  log.end();
  assertEquals([await rest, await numbers(log, 0), await numbers(log, 3)], [[2, 3], [1, 2, 3], []]);
  assertEquals([log.count, log.isEnded], [3, true]);
});

Deno.test("EventLog stores only the newest events", async () => {
  const log = createLog({ maxEvents: 3 });
  for (let count = 1; count <= 10; count++) log.append(`${count}`);
  log.end();
  assertEquals([await numbers(log, 0), await numbers(log, 9)], [[8, 9, 10], [10]]);
});

Deno.test("a new reader of an EventLog detaches the previous reader, as detachReader() does", async () => {
  const log = createLog();
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

Deno.test("EventLog.send() resolves when the reader has read the event", async () => {
  const log = createLog();
  assertEquals(await log.send("no reader"), true);
  const reader = log.read(0);
  const first = await reader.next();
  let isSent = false;
  const sent = log.send("a").then((isAccepted) => isSent = isAccepted);
  assertEquals([first.value?.data, isSent], ["no reader", false]);
  assertEquals((await reader.next()).value?.data, "a");
  assertEquals(isSent, false);
  const waiting = reader.next();
  await sent;
  assertEquals(isSent, true);
  log.end();
  assertEquals((await waiting).done, true);
});

Deno.test("EventLog.send() resolves when the reader detaches or the stream ends", async () => {
  const log = createLog();
  const reader = log.read(0);
  const first = reader.next();
  const sent = [log.send("a"), log.send("b")];
  await first;
  await reader.return();
  assertEquals(await Promise.all(sent), [true, true]);
  const next = log.read(2);
  const waiting = next.next();
  const last = log.send("c");
  log.end();
  assertEquals([await last, (await waiting).value?.data], [true, "c"]);
});

Deno.test("EventLog drops an event that exceeds the storage unless a reader is waiting", async () => {
  const log = createLog({ maxChars: 200 });
  const long = "x".repeat(300);
  assertEquals([log.append("a"), log.append(long), log.count], [undefined, "maxChars", 1]);
  assertEquals(await log.send(long), false);
  const reader = log.read(1);
  const waiting = reader.next();
  assertEquals([log.append(long), log.append(long)], [undefined, "maxChars"]);
  assertEquals((await waiting).value, { number: 2, data: long });
  log.append("b");
  assertEquals((await reader.next()).value, { number: 3, data: "b" });
  log.end();
  assertEquals((await reader.next()).done, true);
  assertEquals(await numbers(log, 0), [3]);
});
