import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { ToolLoopAgent } from "../agent/agent.ts";
import { openRuns, type RunEngine } from "../runs.ts";
import { AgentError } from "../shared/error.ts";
import { sqliteRuns } from "../sqlite.ts";
import { createManualClock, scriptedModel } from "../testing.ts";
import { SqliteDeliveries } from "./sqlite_deliveries.ts";
import { SqliteRunJournal } from "./sqlite_journal.ts";
import { SqliteRunQueue } from "./sqlite_queue.ts";
import { SCHEMA } from "./sqlite_schema.ts";
import { SqliteStore } from "../shared/sqlite_store.ts";
import { withFolder } from "./testdata/temporary_folder.ts";

const CRASHING = new URL("testdata/crashing_worker.ts", import.meta.url).pathname;
const FILES = new URL("testdata/sqlite_files.ts", import.meta.url).pathname;
const SHARED = new URL("testdata/sqlite_shared.ts", import.meta.url).pathname;

const LOCKED =
  'locked by another process for 20 ms; close the program that keeps a transaction open, or increase "busyTimeoutMs"';

/** Number of times that the crash test kills its process; the nightly tests use a larger number. */
const KILLS = Math.min(6 * Number(Deno.env.get("PARLEY_PROPERTY_FACTOR") ?? 1), 30);

async function run(program: string, ...args: readonly string[]): Promise<Deno.CommandOutput> {
  const child = new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-check", "-A", program, ...args],
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  return await child.output();
}

/**
 * Runs a program that prints a value as JSON and nothing to standard error, and returns the value.
 */
async function valueOf(program: string, ...args: readonly string[]) {
  const { stderr, stdout } = await run(program, ...args);
  assertEquals(textOf(stderr), "");
  return JSON.parse(textOf(stdout));
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Generates pseudorandom numbers that depend only on the seed. */
function* numbersFrom(seed: number): Generator<number> {
  for (let state = seed;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state;
  }
}

Deno.test("sqliteRuns() loses and repeats no recorded step when its process is killed", async () => {
  // The number of runs is large enough that no process finishes all of them before it is killed.
  const count = 2 * KILLS;
  const numbers = numbersFrom(7);
  await withFolder(async (folder) => {
    for (let kill = 0; kill < KILLS; kill++) {
      const killAt = 1 + Number(numbers.next().value) % 30;
      const { signal, stderr } = await run(CRASHING, "work", folder, `${count}`, `${killAt}`);
      assertEquals([textOf(stderr), signal], ["", "SIGKILL"], `kill ${kill} at step ${killAt}`);
    }
    const { stderr, stdout } = await run(CRASHING, "work", folder, `${count}`, "0");
    assertEquals(textOf(stderr), "");
    const sum = Array.from({ length: 10 }, (_, n) => n ** 2).reduce((one, other) => one + other);
    const expected = Array.from({ length: count }, () => ["done", `sum ${sum}`]);
    assertEquals(JSON.parse(textOf(stdout)), expected);
    assertLog(await Deno.readTextFile(`${folder}/log`), count);
  });
});

/**
 * Asserts that no step began again after it was recorded, and that each approval was decided at
 * most once.
 */
function assertLog(text: string, count: number): void {
  const recorded = new Set<string>();
  const asked = new Set<string>();
  const decided = new Set<string>();
  for (const line of text.trimEnd().split("\n")) {
    const [event = "", key = "", decision = ""] = line.split(" ");
    if (event === "stored") recorded.add(key);
    if (event === "begin") assert(!recorded.has(key), `${key} was executed again`);
    if (event === "ask") asked.add(key);
    if (event === "decision" && key === "stored") {
      assert(!decided.has(decision), `${decision} was decided again`);
      decided.add(decision);
    }
    assert(event !== "present" && event !== "fenced", line);
  }
  const runs = new Set([...asked].map((key) => key.split("/")[0]));
  assertEquals([...runs].length, asked.size, "a run waits for two approvals");
  assertEquals(runs.size, Math.ceil(count / 10), "every tenth run waits for an approval");
}

Deno.test("several processes create and open an SQLite file at the same time", async () => {
  await withFolder(async (folder) => {
    const opening = Array.from({ length: 4 }, () => valueOf(FILES, "open", `${folder}/runs.db`));
    assertEquals(await Promise.all(opening), [null, null, null, null]);
  });
});

Deno.test("sqliteRuns() reports a file that is locked for too long, and continues afterwards", async () => {
  await withFolder(async (folder) => {
    assertEquals(await valueOf(SHARED, "locked", folder), {
      openError: `Cannot open the runs in "/runs.db": ${LOCKED}`,
      writeError: `Cannot write to "/runs.db": ${LOCKED}`,
      listed: 0,
      reported: `Cannot write to "/runs.db": ${LOCKED}`,
      status: "done",
    });
  });
});

Deno.test("sqliteRuns() reports that a program with an older version uses the file", async () => {
  await withFolder(async (folder) => {
    assertEquals(await valueOf(SHARED, "exclusive", folder), {
      error: `Cannot open the runs in "/runs.db": ${LOCKED}`,
      again: null,
    });
  });
});

Deno.test("sqliteRuns() continues the runs of files with older versions", async () => {
  const refused = (version: number): string =>
    `Cannot open the runs in "/v${version}.db": the database has schema version ${version}, ` +
    "but this version of @parley/runtime requires 4";
  await withFolder(async (folder) => {
    const [one, two, three] = await valueOf(SHARED, "migrate", folder);
    const { errors: [error, ...others], ...rest } = one;
    assertEquals(rest, {
      refused: refused(1),
      opened: ["r6", "r2", "r1", "r4", "the last moment", "r3"],
      ended: [
        ["r1", "done", null],
        ["r2", "done", null],
        ["r3", "done", null],
        ["r4", "done", null],
        ["r5", "done", null],
        ["r6", "failed", null],
      ],
      again: null,
    });
    assertMatch(error, /^AgentError: Cannot read run "r6": input was changed by another program/);
    assertEquals(others, []);
    assertEquals(two, {
      refused: refused(2),
      opened: ["r2", "r1"],
      ended: [["r1", "done", "ann"], ["r2", "done", null], ["r3", "cancelled", null]],
      errors: [],
      again: null,
    });
    const wait = { path: ["clerk"] };
    assertEquals(three, {
      refused: refused(3),
      updated: ["r2", "r4", "r3", "r1", "r5"],
      waitingFor: [
        [{
          ...wait,
          kind: "approval",
          key: "r1/i0/approval/0",
          reason: "approval",
          toolName: "pay",
          input: { euros: 5 },
        }],
        [{ ...wait, kind: "signal", key: "paid", toolName: "ship" }],
      ],
      result: {
        finalText: "Old",
        hasAnswer: true,
        stopReason: "model_stop",
        totalUsage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 },
      },
      status: "done",
      signals: [{ key: "a", value: [2] }, { key: "b", value: 1 }, { key: "0", value: "new" }],
      decisions: [{ key: "r2/i0/approval/0", value: { decision: "approve" } }],
      metadata: { user: "ann" },
      again: null,
    });
  });
});

Deno.test("sqliteRuns() lets a run that another program has damaged fail, and rejects other files", async () => {
  await withFolder(async (folder) => {
    const { damaged, isOtherUnchanged, refused } = await valueOf(FILES, "cases", folder);
    assert(isOtherUnchanged);
    const changed = (place: string): string =>
      `Cannot read run "r1": ${place} was changed by another program or is damaged`;
    const expected = [
      'step "r1/start"',
      'step "r1/other"',
      'step "r1/start"',
      'signal "s"',
      "input",
      "metadata",
      "the row of the run",
      "the row of the run",
      "the row of the run",
      "the row of the run",
      "the row of the run",
      "the row of the run",
    ].map(changed);
    assertEquals(damaged.length, expected.length);
    for (const [index, message] of expected.entries()) {
      const { failed: [[runId, code, text]], openError, ...rest } = damaged[index];
      const paged = ["r1", "r2"];
      assertEquals([runId, code], ["r1", "run_damaged"]);
      assert(text.startsWith(message), text);
      assertEquals(openError, text);
      assertEquals(rest, {
        again: null,
        signal: "ended",
        other: "running",
        count: 2,
        paged,
        purged: 1,
      });
    }
    assertEquals(refused.slice(0, 3), [
      'Cannot open the runs in "/newer.db": the database has schema version 5, but this version of @parley/runtime requires 4',
      'Cannot open the runs in "/other.db": the file is a database that belongs to another program',
      'Cannot open the runs in "/text.db": file is not a database',
    ]);
    assertMatch(refused[3], /^Cannot open the runs in "\/missing\/runs.db": unable to open/);
  });
});

Deno.test("sqliteRuns() closes a file without the tables of durable runs", async () => {
  await withFolder(async (folder) => {
    assertEquals(await valueOf(FILES, "tableless", folder), {
      error: ["core", 'Cannot open the runs in "/tableless.db": no such table: run'],
      isFree: true,
    });
  });
});

Deno.test("work() reports each damaged run in SQLite once, lets it fail, and executes other runs", async () => {
  const clock = createManualClock();
  const database = new DatabaseSync(":memory:");
  database.exec(SCHEMA);
  const store = new SqliteStore(database, "runs.db", 1);
  const deliveries = new SqliteDeliveries(store, { clock, leaseClock: clock });
  const queue = new SqliteRunQueue(deliveries, {
    clock,
    retryDelayMs: 1,
    maxRetryDelayMs: 1,
    pollIntervalMs: 100,
    leaseMs: 5000,
    onError: (error) => errors.push(error),
  });
  const engine: RunEngine = {
    journal: new SqliteRunJournal(store, deliveries, { clock, maxPartyRuns: 10, maxSignals: 10 }),
    queue,
    [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose](),
  };
  const make = () => new ToolLoopAgent({ name: "clerk", model: scriptedModel([{ text: "Done" }]) });
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const runs = openRuns(engine, { clerk: { version: "1", make } }, { clock, onError });
  for (const runId of ["r1", "r2", "r3"]) await runs.start({ runId, agent: "clerk", input: "Go" });
  await runs.signal("r1", "s", 1);
  database.exec("update signal set digest = ''; update run set input = '{' where run_id = 'r2'");
  assertEquals((await runs.list()).map(({ status }) => status), ["queued", "failed", "queued"]);
  const working = runs.work({ concurrency: 1 });
  assertEquals((await runs.result("r3")).status, "done");
  const failed = await runs.list({ status: "failed" });
  assertEquals(failed.map(({ error, runId }) => [runId, error?.code]), [
    ["r1", "run_damaged"],
    ["r2", "run_damaged"],
  ]);
  clock.advance(3_600_000);
  await runs.start({ runId: "r4", agent: "clerk", input: "Go" });
  assertEquals((await runs.result("r4")).status, "done");
  assertEquals(errors.map(String), failed.map(({ error }) => `AgentError: ${error?.message}`));
  await runs.close();
  await working;
  database.close();
});

Deno.test("sqliteRuns() stores nothing in a full database, until runs are purged", async () => {
  const maxBytes = 200_000;
  await using engine = sqliteRuns(":memory:", { maxBytes });
  const { journal } = engine;
  await journal.create({ runId: "r1", agent: "clerk", version: "1", input: "Hi" });
  await journal.open("r1");
  const fill = async (runId: string): Promise<number> => {
    for (let index = 0; index < 100; index++) {
      const key = `${runId}/${index}`;
      const entry = { v: 1 as const, key, kind: "tool" as const, value: "x".repeat(10_000) };
      await journal.append(runId, 1, entry);
    }
    return 100;
  };
  await assertRejects(() => fill("r1"), Error, "full");
  assert(await journal.cancel("r1"));
  await engine.journal.purge(new Date(Date.now() + 1));
  assert(await journal.create({ runId: "r2", agent: "clerk", version: "1", input: "Hi" }));
});

Deno.test("sqliteRuns() rejects invalid options and transactions", async () => {
  assertThrows(() => sqliteRuns(""), TypeError);
  assertThrows(() => sqliteRuns(":memory:", { maxBytes: 0 }), RangeError);
  assertThrows(() => sqliteRuns(":memory:", { maxSignals: 0 }), RangeError);
  for (const name of ["pollIntervalMs", "leaseMs", "busyTimeoutMs"]) {
    assertThrows(() => sqliteRuns(":memory:", { [name]: 0 }), RangeError, `"${name}"`);
    assertThrows(() => sqliteRuns(":memory:", { [name]: 2 ** 31 }), RangeError, `"${name}"`);
  }
  assertThrows(() => sqliteRuns("/"), AgentError, 'Cannot open the runs in "/"');
  await using engine = sqliteRuns(":memory:");
  const run = { runId: "r1", agent: "clerk", version: "1", input: "Hi" };
  await assertRejects(() => engine.journal.create(run, {}), TypeError, '"tx"');
});
