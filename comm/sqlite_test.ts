import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { SqliteReplayStore, type SqliteReplayStoreOptions } from "./sqlite.ts";
import { FILE_TESTS } from "./testdata/sqlite_files.ts";

const SENDER = "did:web:ann.example";
const START_MS = Date.UTC(2026, 0, 1);
const FILES = new URL("testdata/sqlite_files.ts", import.meta.url).pathname;

/** An in-memory store with a clock that a test sets. */
function setUp(options: Omit<SqliteReplayStoreOptions, "now"> = {}) {
  const clock = { nowMs: START_MS };
  const store = new SqliteReplayStore(":memory:", { ...options, now: () => clock.nowMs });
  return { clock, store };
}

for (const name of FILE_TESTS) {
  Deno.test(`SqliteReplayStore ${name}`, async () => {
    const args = ["run", "--quiet", "--no-check", "-A", FILES, name];
    const { success, stderr } = await new Deno.Command("deno", { args }).output();
    assert(success, new TextDecoder().decode(stderr));
  });
}

Deno.test("SqliteReplayStore keeps a committed entry until untilMs, and at most for ttlMs", async () => {
  const { clock, store } = setUp({ ttlMs: 10_000 });
  const cases = [["soon", 2000, 2000], ["late", 60_000, 10_000], ["past", -5000, 10_000]] as const;
  for (const [id, untilMs, keptMs] of cases) {
    clock.nowMs = START_MS;
    assertEquals(await store.begin(SENDER, id, START_MS + untilMs), true);
    await store.commit(SENDER, id);
    clock.nowMs = START_MS + keptMs - 1;
    assertEquals(await store.begin(SENDER, id, clock.nowMs + 1), false, id);
    clock.nowMs = START_MS + keptMs;
    assertEquals(await store.begin(SENDER, id, clock.nowMs + 1), true, id);
  }
  await store.close();
});

Deno.test("SqliteReplayStore releases a reservation after reservationMs", async () => {
  const { clock, store } = setUp({ reservationMs: 5000 });
  const untilMs = START_MS + 300_000;
  assertEquals(await store.begin(SENDER, "1", untilMs), true);
  clock.nowMs = START_MS + 4999;
  assertEquals(await store.begin(SENDER, "1", untilMs), "reserved");
  clock.nowMs = START_MS + 5000;
  assertEquals(await store.begin(SENDER, "1", untilMs), true);
  await store.close();
});

Deno.test("SqliteReplayStore returns full beyond maxEntries until entries expire", async () => {
  const { clock, store } = setUp({ maxEntries: 2, maxSharePerSender: 1, ttlMs: 60_000 });
  const untilMs = START_MS + 60_000;
  assertEquals(await store.begin(SENDER, "1", untilMs), true);
  assertEquals(await store.begin(SENDER, "2", untilMs), true);
  assertEquals(await store.begin(SENDER, "3", untilMs), "full");
  assertEquals(await store.begin(SENDER, "1", untilMs), "reserved");
  await store.abort(SENDER, "2");
  assertEquals(await store.begin(SENDER, "3", untilMs), true);
  await store.commit(SENDER, "1");
  await store.commit(SENDER, "3");
  assertEquals(await store.begin(SENDER, "4", untilMs), "full");
  clock.nowMs = untilMs;
  assertEquals(await store.begin(SENDER, "4", untilMs + 60_000), true);
  await store.close();
});

Deno.test("SqliteReplayStore throws if an option is invalid", () => {
  // @ts-expect-error a path is required
  assertThrows(() => new SqliteReplayStore(), TypeError, '"path" must be a non-empty string');
  assertThrows(() => new SqliteReplayStore(""), TypeError, '"path"');
  for (const name of ["ttlMs", "reservationMs", "maxEntries", "busyTimeoutMs"]) {
    assertThrows(() => new SqliteReplayStore(":memory:", { [name]: 0 }), RangeError, name);
  }
  for (const name of ["ttlMs", "reservationMs"]) {
    assertThrows(() => new SqliteReplayStore(":memory:", { [name]: Infinity }), RangeError, name);
  }
  // SQLite would not wait at all for a longer time than 2^31 - 1 ms.
  const busyTimeoutMs = 2 ** 31;
  assertThrows(
    () => new SqliteReplayStore(":memory:", { busyTimeoutMs }),
    RangeError,
    "busyTimeoutMs",
  );
});

Deno.test("SqliteReplayStore.begin() rejects if the clock is invalid or the store is closed", async () => {
  const store = new SqliteReplayStore(":memory:", { now: () => NaN });
  await assertRejects(() => store.begin(SENDER, "1", 1), TypeError, '"now()"');
  await store.close();
  await store.close();
  const error = await assertRejects(() => store.commit(SENDER, "1"));
  assert(error instanceof Error);
});

Deno.test("SqliteReplayStore measures untilMs from the time of the caller, whose clock can differ", async () => {
  const { clock, store } = setUp();
  for (const [id, nowMs] of [["behind", START_MS - 1e9], ["ahead", START_MS + 1e9]] as const) {
    clock.nowMs = START_MS;
    assertEquals(await store.begin(SENDER, id, nowMs + 300_000, { nowMs }), true);
    await store.commit(SENDER, id);
    clock.nowMs = START_MS + 299_999;
    assertEquals(await store.begin(SENDER, id, nowMs + 300_000, { nowMs }), false);
    clock.nowMs = START_MS + 300_000;
    assertEquals(await store.begin(SENDER, id, nowMs + 300_000, { nowMs }), true);
  }
  await store.close();
});

Deno.test("SqliteReplayStore limits the entries of each sender to its share until they expire", async () => {
  const { clock, store } = setUp({ maxEntries: 20, ttlMs: 60_000 });
  const untilMs = START_MS + 60_000;
  for (const id of ["1", "2"]) assertEquals(await store.begin(SENDER, id, untilMs), true);
  await store.commit(SENDER, "1");
  assertEquals(await store.begin(SENDER, "3", untilMs), "full");
  assertEquals(await store.begin(SENDER, "1", untilMs), false);
  assertEquals(await store.begin("did:web:ben.example", "1", untilMs), true);
  await store.abort(SENDER, "2");
  assertEquals(await store.begin(SENDER, "3", untilMs), true);
  assertEquals(await store.begin(SENDER, "4", untilMs), "full");
  clock.nowMs = untilMs;
  await store.commit(SENDER, "1");
  assertEquals(await store.begin(SENDER, "4", untilMs + 60_000), true);
  await store.close();
});
