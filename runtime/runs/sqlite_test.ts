import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { ToolLoopAgent } from "../agent/agent.ts";
import { openRuns, type RunEngine } from "../runs.ts";
import { AgentError } from "../shared/error.ts";
import { sqliteRuns } from "../sqlite.ts";
import { createManualClock, scriptedModel } from "../testing.ts";
import { LocalQueue } from "./local_queue.ts";
import { SCHEMA, SqliteRunJournal } from "./sqlite_journal.ts";

const CRASHING = new URL("testdata/crashing_worker.ts", import.meta.url).pathname;
const FILES = new URL("testdata/sqlite_files.ts", import.meta.url).pathname;

/** Number of times that the crash test kills its process; the nightly tests use a larger number. */
const KILLS = Math.min(6 * Number(Deno.env.get("PARLEY_PROPERTY_FACTOR") ?? 1), 30);

function processOf(program: string, ...args: readonly string[]): Deno.Command {
  return new Deno.Command("deno", {
    args: ["run", "--quiet", "--no-check", "-A", program, ...args],
    env: { NO_COLOR: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  });
}

async function run(program: string, ...args: readonly string[]): Promise<Deno.CommandOutput> {
  const child = processOf(program, ...args).spawn();
  await child.stdin.close();
  return await child.output();
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/**
 * Calls a test with the path to a folder that does not exist yet, and removes the folder
 * afterwards.
 */
async function withFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = `${Deno.env.get("TMPDIR") ?? "/tmp"}/parley-runs-${crypto.randomUUID()}`;
  try {
    await test(folder);
  } finally {
    await run(FILES, "remove", folder);
  }
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

Deno.test("sqliteRuns() rejects a file that another process uses, until that process closes it", async () => {
  await withFolder(async (folder) => {
    await run(CRASHING, "work", folder, "0", "0");
    const file = `${folder}/runs.db`;
    const holder = processOf(FILES, "hold", file).spawn();
    const reader = holder.stdout.getReader();
    assertEquals(textOf((await reader.read()).value ?? new Uint8Array()), '"held"\n');
    const refused: unknown = JSON.parse(textOf((await run(FILES, "open", file)).stdout));
    const message = `Cannot open the runs in "${file}": another process uses the database`;
    assertEquals(refused, message);
    await holder.stdin.close();
    await reader.cancel();
    await holder.stderr.cancel();
    await holder.status;
    assertEquals(JSON.parse(textOf((await run(FILES, "open", file)).stdout)), null);
  });
});

Deno.test("sqliteRuns() lets a run that another program has damaged fail, and rejects other files", async () => {
  await withFolder(async (folder) => {
    const { stderr, stdout } = await run(FILES, "cases", folder);
    assertEquals(textOf(stderr), "");
    const { damaged, isOtherUnchanged, refused } = JSON.parse(textOf(stdout));
    assert(isOtherUnchanged);
    const changed = (place: string): string =>
      `Cannot read run "r1": ${place} was changed by another program or is damaged`;
    const expected = [
      'step "r1/start"',
      'step "r1/other"',
      'step "r1/start"',
      'signal "s"',
      "input",
      "the row of the run",
      "the row of the run",
      "the row of the run",
      "the row of the run",
    ].map(changed);
    assertEquals(damaged.length, expected.length);
    for (const [index, message] of expected.entries()) {
      const { failed: [[runId, code, text]], openError, ...rest } = damaged[index];
      assertEquals([runId, code], ["r1", "run_damaged"]);
      assert(text.startsWith(message), text);
      // A run whose row is damaged fails when the file is opened; a damaged step or signal is found
      // when the run is opened.
      assertEquals(openError, index < 4 ? text : null);
      assertEquals(rest, { again: null, signal: "ended", other: "running", count: 2, purged: 1 });
    }
    assertEquals(refused.slice(0, 3), [
      'Cannot open the runs in "/newer.db": the database has schema version 3, but this version of @parley/runtime requires 2',
      'Cannot open the runs in "/other.db": the file is a database that belongs to another program',
      'Cannot open the runs in "/text.db": file is not a database',
    ]);
    assertMatch(refused[3], /^Cannot open the runs in "\/missing\/runs.db": unable to open/);
  });
});

Deno.test("sqliteRuns() closes a file without the tables of durable runs", async () => {
  await withFolder(async (folder) => {
    const { stderr, stdout } = await run(FILES, "tableless", folder);
    assertEquals(textOf(stderr), "");
    assertEquals(JSON.parse(textOf(stdout)), {
      error: ["core", 'Cannot open the runs in "/tableless.db": no such table: run'],
      isFree: true,
    });
  });
});

Deno.test("work() reports each damaged run in SQLite once, lets it fail, and executes other runs", async () => {
  const clock = createManualClock();
  const database = new DatabaseSync(":memory:");
  database.exec(SCHEMA);
  const queue = new LocalQueue(clock, { retryDelayMs: 1, maxRetryDelayMs: 1 });
  const engine: RunEngine = {
    journal: new SqliteRunJournal(database, clock, { maxPartyRuns: 10, maxSignals: 10 }),
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
  assertThrows(() => sqliteRuns("/"), AgentError, 'Cannot open the runs in "/"');
  await using engine = sqliteRuns(":memory:");
  const run = { runId: "r1", agent: "clerk", version: "1", input: "Hi" };
  await assertRejects(() => engine.journal.create(run, {}), TypeError, '"tx"');
});
