import { assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { createManualClock } from "../testing.ts";
import type { RunFilter, RunPosition } from "./contracts.ts";
import { memoryRuns } from "./memory.ts";
import { SqliteDeliveries } from "./sqlite_deliveries.ts";
import { SqliteRunJournal } from "./sqlite_journal.ts";
import { SCHEMA } from "./sqlite_schema.ts";
import { SqliteStore } from "../shared/sqlite_store.ts";

const RUN = { runId: "r1", agent: "clerk", version: "1", input: "Go" };
const AGENTS = [{ agent: "clerk", version: "1" }];
const START = Date.UTC(2030, 0, 1);

/** Opens a journal, and reads the deliveries that it requests. */
function open() {
  const database = new DatabaseSync(":memory:");
  database.exec(SCHEMA);
  const clock = createManualClock(START);
  const store = new SqliteStore(database, "runs.db", 1);
  const deliveries = new SqliteDeliveries(store, { clock, leaseClock: clock });
  const journal = new SqliteRunJournal(store, deliveries, {
    clock,
    maxPartyRuns: 1,
    maxSignals: 10,
  });
  /** Reads a list, and returns how the database reads it. */
  const planOf = async (filter: RunFilter): Promise<readonly string[]> => {
    const prepare = database.prepare.bind(database);
    let sql = "";
    database.prepare = (text) => prepare(sql = text);
    await journal.list(filter);
    database.prepare = prepare;
    return prepare(`explain query plan ${sql}`).all().map(({ detail }) => String(detail));
  };
  /** Ids, delays and states of the deliveries. */
  const requested = () =>
    database.prepare(
      `select id, due - ${START} as due, owner is not null as held, is_dropped from delivery order by n`,
    ).all().map((row) => Object.values(Object(row)));
  const claim = () => deliveries.claim(AGENTS, { count: 1, leaseMs: 1000 });
  return {
    claim,
    clock,
    deliveries,
    journal,
    planOf,
    requested,
    [Symbol.dispose]: () => database.close(),
  };
}

Deno.test("a run that is created, signalled or closed is delivered without another request", async () => {
  using opened = open();
  const { claim, deliveries, journal, requested } = opened;
  const due = new Date(START + 5).toISOString();
  await journal.create({ ...RUN, runId: "later", due });
  await journal.create(RUN);
  await journal.create(RUN);
  assertEquals(requested(), [["0", 5, 0, 0], ["0", 0, 0, 0]]);
  const [first] = claim();
  await journal.open("r1");
  const wait = { key: "paid", path: ["clerk"], toolName: "t" };
  const waitingFor = [
    { kind: "signal", ...wait },
    { kind: "time", ...wait, key: "nap", due },
  ] as const;
  await journal.close("r1", 1, { status: "waiting", waitingFor, due });
  deliveries.end(first?.n ?? 0, undefined);
  assertEquals(requested(), [["0", 5, 0, 0], ["due/1", 5, 0, 0]]);
  await journal.signal("r1", "other", 1);
  assertEquals(requested(), [["0", 5, 0, 0], ["due/1", 5, 0, 0]]);
  await journal.signal("r1", "paid", 1);
  assertEquals(requested(), [["0", 5, 0, 0], ["1", 0, 0, 0]]);
});

Deno.test("the delivery of a run that is returned to the queue gets the id of its epoch", async () => {
  using opened = open();
  const { claim, deliveries, journal, requested } = opened;
  await journal.create(RUN);
  const [first] = claim();
  await journal.open("r1");
  await journal.close("r1", 1, { status: "queued" });
  assertEquals(requested(), [["1", 0, 1, 0]]);
  deliveries.end(first?.n ?? 0, { attempt: 2, due: START + 7 });
  assertEquals(requested(), [["1", 7, 0, 0]]);
});

Deno.test("a run that ends or is deleted keeps only the delivery in progress", async () => {
  for (const way of ["done", "cancelled", "purged", "displaced"]) {
    using opened = open();
    const { claim, clock, deliveries, journal, requested } = opened;
    await journal.create({ ...RUN, party: "ann" });
    claim();
    await journal.open("r1");
    if (way === "purged" || way === "displaced") await journal.cancel("r1");
    const isDropped = way === "done" ? 0 : 1;
    deliveries.request(RUN, "more");
    if (way === "done") await journal.close("r1", 1, { status: "done", result: 1 });
    else if (way === "cancelled") await journal.cancel("r1");
    else if (way === "purged") await journal.purge(new Date(clock.now() + 1));
    else await journal.create({ ...RUN, runId: "r2", party: "ann" });
    const expected = [["0", 0, 1, isDropped]];
    if (way === "displaced") expected.push(["2", 0, 0, 0]);
    assertEquals(requested(), expected, way);
  }
});

Deno.test("every list is read from an index, without sorting", async () => {
  using opened = open();
  const { planOf } = opened;
  const after = { runId: "r1", updatedAt: "2030-01-01T00:00:00.000Z" };
  const key = "SEARCH run USING PRIMARY KEY";
  const cases: readonly (readonly [RunFilter, string])[] = [
    [{}, "SCAN run"],
    [{ after: { runId: "r1" } }, `${key} (run_id>?)`],
    [{ prefix: "r_" }, `${key} (run_id>? AND run_id<?)`],
    [
      { status: "done", agent: "a", prefix: "r" },
      "SEARCH run USING INDEX run_status (status=? AND agent=? AND run_id>? AND run_id<?)",
    ],
    [{ order: "updated" }, "SCAN run USING INDEX run_updated"],
    [{ order: "updated", after }, "SEARCH run USING INDEX run_updated (<expr><?)"],
  ];
  for (const [filter, plan] of cases) assertEquals(await planOf(filter), [plan], plan);
});

Deno.test("pages neither skip nor repeat runs that changed in the same millisecond", async () => {
  using opened = open();
  const clock = createManualClock(START);
  await using memory = memoryRuns({ clock });
  const ids = Array.from({ length: 25 }, (_, index) => `r${String(index).padStart(2, "0")}`);
  for (
    const [journal, time] of [[opened.journal, opened.clock], [memory.journal, clock]] as const
  ) {
    for (const runId of ids) await journal.create({ ...RUN, runId });
    time.advance(1);
    for (const runId of ["r03", "r20"]) await journal.open(runId);
    const rest = ids.filter((runId) => runId !== "r03" && runId !== "r20").toReversed();
    for (const limit of [1, 4, 25]) {
      const found: string[] = [];
      let after: RunPosition | undefined;
      do {
        const page = await journal.list({ order: "updated", limit, after });
        found.push(...page.map(({ runId }) => runId));
        after = page.at(-1);
      } while (after !== undefined);
      assertEquals(found, ["r20", "r03", ...rest], `pages of ${limit}`);
    }
  }
});

Deno.test("a run that changes between two pages does not hide other runs", async () => {
  using opened = open();
  const { clock, journal } = opened;
  for (const runId of ["a", "b", "c"]) {
    await journal.create({ ...RUN, runId });
    clock.advance(1);
  }
  const [last] = await journal.list({ order: "updated", limit: 1 });
  assertEquals(last?.runId, "c");
  await journal.open("c");
  const next = await journal.list({ order: "updated", after: last });
  assertEquals(next.map(({ runId }) => runId), ["b", "a"]);
});
