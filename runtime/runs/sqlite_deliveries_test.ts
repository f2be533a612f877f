import { assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { createManualClock } from "../testing.ts";
import { SqliteDeliveries } from "./sqlite_deliveries.ts";
import { SCHEMA } from "./sqlite_schema.ts";
import { SqliteStore } from "../shared/sqlite_store.ts";

const AGENT = { agent: "clerk", version: "1" };
const LEASE = { count: 1, leaseMs: 1000 };

/** Creates tables that two processes use, with one clock for due times and one for leases. */
function open() {
  const database = new DatabaseSync(":memory:");
  database.exec(SCHEMA);
  const clock = createManualClock(0);
  const lease = { ms: 1_000_000 };
  const leaseClock = { now: () => lease.ms };
  const store = new SqliteStore(database, "runs.db", 1);
  const create = () => new SqliteDeliveries(store, { clock, leaseClock });
  const request = (runId: string, party?: string, due?: number): void =>
    one.request({ ...AGENT, runId, ...party && { party } }, "0", due ? new Date(due) : undefined);
  const [one, other] = [create(), create()];
  return { clock, lease, one, other, request, [Symbol.dispose]: () => database.close() };
}

/** Claims and ends deliveries until there are none, and returns their runs. */
function drain(deliveries: SqliteDeliveries, agents = [AGENT]): readonly string[] {
  const ids: string[] = [];
  for (let [next] = deliveries.claim(agents, LEASE); next !== undefined;) {
    ids.push(next.runId);
    deliveries.end(next.n, undefined);
    [next] = deliveries.claim(agents, LEASE);
  }
  return ids;
}

Deno.test("deliveries are claimed in the order of their times, and then of their requests", () => {
  using table = open();
  const { clock, one, request } = table;
  request("c", undefined, 3);
  request("b", undefined, 2);
  request("d", undefined, 3);
  request("later", undefined, 4);
  request("a");
  assertEquals(one.nextDue([AGENT]), 2);
  assertEquals(one.hasNext([AGENT]), true);
  assertEquals(drain(one), ["a"]);
  assertEquals(one.hasNext([AGENT]), false);
  clock.advance(3);
  assertEquals(one.hasNext([AGENT]), true);
  assertEquals(drain(one), ["b", "c", "d"]);
  assertEquals(one.nextDue([AGENT]), 4);
});

Deno.test("a delivery is requested once for each id, and claimed only for its agent and version", () => {
  using table = open();
  const { one } = table;
  for (const id of ["0", "0", "1"]) one.request({ ...AGENT, runId: "a" }, id);
  one.request({ agent: "clerk", version: "2", runId: "b" }, "0");
  one.request({ agent: "other", version: "1", runId: "c" }, "0");
  assertEquals(drain(one), ["a", "a"]);
  const others = [{ agent: "clerk", version: "2" }, { agent: "other", version: "1" }];
  assertEquals(drain(one, others), ["b", "c"]);
});

Deno.test("the parties take turns, however many deliveries each of them has requested", () => {
  using table = open();
  const { one, request } = table;
  for (const id of ["m0", "m1", "m2", "m3"]) request(id, "mallory");
  for (const id of ["a0", "a1"]) request(id, "ann");
  request("p0");
  assertEquals(drain(one), ["m0", "a0", "p0", "m1", "a1", "m2", "m3"]);
  // A party that had no deliveries does not catch up on the turns that it did not take.
  for (const id of ["m4", "m5"]) request(id, "mallory");
  for (const id of ["b0", "b1", "b2"]) request(id, "bob");
  assertEquals(drain(one), ["m4", "b0", "m5", "b1", "b2"]);
});

Deno.test("a party that requests one delivery after another does not delay other parties", () => {
  using table = open();
  const { one, request } = table;
  for (const id of ["b0", "b1", "b2"]) request(id, "bob");
  const order: string[] = [];
  for (let index = 0; index < 6; index++) {
    if (index % 2 === 0) request(`a${index / 2}`, "ann");
    const [claimed] = one.claim([AGENT], LEASE);
    order.push(claimed?.runId ?? "");
    one.end(claimed?.n ?? 0, undefined);
  }
  assertEquals(order, ["b0", "a0", "b1", "a1", "b2", "a2"]);
});

Deno.test("a run is claimed by one process at a time, until its lease ends", () => {
  using table = open();
  const { lease, one, other, request } = table;
  request("a");
  one.request({ ...AGENT, runId: "a" }, "1");
  const [first] = one.claim([AGENT], { ...LEASE, count: 5 });
  assertEquals([first?.runId, first?.attempt], ["a", 1]);
  assertEquals(one.claim([AGENT], LEASE), []);
  lease.ms += 600;
  one.renew(first?.n ?? 0, 1000);
  lease.ms += 999;
  assertEquals([other.hasNext([AGENT]), other.claim([AGENT], LEASE)], [false, []]);
  assertEquals(one.isLost(first?.n ?? 0), false);
  lease.ms += 1;
  const [again] = other.claim([AGENT], LEASE);
  assertEquals([again?.n, again?.runId, again?.attempt], [first?.n, "a", 1]);
  assertEquals([one.isLost(first?.n ?? 0), other.isLost(again?.n ?? 0)], [true, false]);
  // The process that has lost the delivery can neither renew nor end it.
  one.renew(first?.n ?? 0, 5000);
  one.end(first?.n ?? 0, undefined);
  assertEquals(other.isLost(again?.n ?? 0), false);
  other.end(again?.n ?? 0, undefined);
  assertEquals(drain(one), ["a"]);
});

Deno.test("the lease of a crashed process ends although the clock was set back", () => {
  using table = open();
  const { lease, one, other, request } = table;
  request("a");
  one.claim([AGENT], LEASE);
  lease.ms -= 1000;
  assertEquals(other.hasNext([AGENT]), false);
  lease.ms -= 1;
  assertEquals(other.claim([AGENT], LEASE).length, 1);
});

Deno.test("a failed delivery is repeated at its time, with its next attempt", () => {
  using table = open();
  const { clock, one, other, request } = table;
  request("a");
  const [first] = one.claim([AGENT], LEASE);
  one.end(first?.n ?? 0, { attempt: 2, due: 10 });
  assertEquals(other.hasNext([AGENT]), false);
  assertEquals(other.nextDue([AGENT]), 10);
  clock.advance(10);
  assertEquals(other.claim([AGENT], LEASE).map(({ attempt }) => attempt), [2]);
});

Deno.test("drop() deletes the deliveries of a run, and marks the one in progress", () => {
  using table = open();
  const { one, other, request } = table;
  request("a");
  other.request({ ...AGENT, runId: "a" }, "1");
  request("b");
  const [held] = one.claim([AGENT], LEASE);
  other.drop("a");
  assertEquals(one.isLost(held?.n ?? 0), true);
  // A new delivery of the run waits until the dropped delivery has ended.
  other.request({ ...AGENT, runId: "a" }, "2");
  assertEquals(drain(other), ["b"]);
  one.end(held?.n ?? 0, undefined);
  assertEquals(drain(other), ["a"]);
});

Deno.test("requeue() gives the delivery in progress a new id, or adds a delivery", () => {
  using table = open();
  const { one, request } = table;
  request("a");
  const [held] = one.claim([AGENT], LEASE);
  one.requeue({ ...AGENT, runId: "a" }, "1");
  one.request({ ...AGENT, runId: "a" }, "1");
  one.end(held?.n ?? 0, { attempt: 2, due: 50 });
  assertEquals([one.hasNext([AGENT]), one.nextDue([AGENT])], [false, 50]);
  one.requeue({ ...AGENT, runId: "b" }, "1");
  assertEquals(drain(one), ["b"]);
});

Deno.test("forget() keeps the delivery in progress", () => {
  using table = open();
  const { one, request } = table;
  request("a");
  const [held] = one.claim([AGENT], LEASE);
  one.request({ ...AGENT, runId: "a" }, "1");
  one.forget("a");
  assertEquals(one.isLost(held?.n ?? 0), false);
  one.end(held?.n ?? 0, undefined);
  assertEquals(drain(one), []);
});

Deno.test("a delivery that had to wait for its run does not set the turns back", () => {
  using table = open();
  const { one, request } = table;
  request("a");
  one.request({ ...AGENT, runId: "a" }, "1");
  for (const id of ["b", "c"]) request(id);
  const claimed = one.claim([AGENT], { ...LEASE, count: 3 });
  assertEquals(claimed.map(({ runId }) => runId), ["a", "b", "c"]);
  one.end(claimed[0]?.n ?? 0, undefined);
  assertEquals(one.claim([AGENT], LEASE).map(({ runId }) => runId), ["a"]);
  request("d");
  request("x", "ann");
  assertEquals(drain(one), ["d", "x"]);
});
