import { assert, assertEquals } from "@std/assert";
import type { LiveEvent } from "@parley/runtime/runs";
import pg from "pg";
import { withTempDir } from "../../tools/cli.ts";
import { startPostgres } from "../../tools/testing/postgres.ts";
import { bundleFor, type WorkerRuntime } from "./chaos/runtimes.ts";
import { type FollowPlan, followRuns } from "./follow_runs.ts";
import { WORDS } from "./follow_words.ts";
import { IS_FULL } from "./full_size.ts";
import { HAS_POSTGRES, POSTGRES_RELEASES } from "./postgres_releases.ts";

const WORKER = new URL("follow_worker.ts", import.meta.url);

const SHORT: FollowPlan = { runs: 1, kills: [60], workers: 1 };

/**
 * A worker executes two runs, so each is killed before a run has streamed all its words: between 5
 * and 204 words.
 */
function fullPlan(kills: number, seed: number): FollowPlan {
  const numbers = Array.from({ length: kills }, (_, n) => 5 + (seed + n * 67) % 200);
  return { runs: 8, kills: numbers, workers: 2 };
}

/** Asserts that the events of each reader are complete, and that the tools were executed once. */
async function check(
  url: string,
  names: readonly WorkerRuntime["name"][],
  plan: FollowPlan,
  folder: string,
): Promise<void> {
  const runtimes = await Promise.all(names.map((name) => bundleFor(name, WORKER, folder)));
  const startedAt = performance.now();
  const { followed, kills, log } = await followRuns(url, runtimes, plan, `${folder}/tools`);
  const resets = followed.map(({ steady }) => countResets(steady));
  const readers = followed.flatMap((run) => [run.steady, run.reconnecting, run.late]);
  console.log(
    `${kills} kills, ${followed.length} runs with ${resets.join("+")} resets, ` +
      `${readers.reduce((sum, { length }) => sum + length, 0)} events for ${readers.length} ` +
      `readers in ${Math.round(performance.now() - startedAt)} ms`,
  );
  assertEquals(kills, plan.kills.length);
  // Every tool was executed, its result was recorded before the first word, and nothing failed.
  assertEquals([...new Set(log)].sort(), [...log].sort());
  assertEquals(log.length, plan.runs);
  assertEquals(log.filter((line) => line.startsWith("error")), []);
  for (const { late, reconnecting, steady } of followed) {
    for (const events of [steady, reconnecting, late]) assertComplete(events);
    const last = afterLastReset(steady);
    assertEquals(afterLastReset(reconnecting), last);
    assertEquals(late, last);
  }
  if (plan.kills.length === 1) assertEquals(resets, [1]);
  assert(resets.reduce((sum, count) => sum + count, 0) >= kills);
}

function countResets(events: readonly LiveEvent[]): number {
  return events.filter(({ event }) => event.type === "log_reset").length;
}

function afterLastReset(events: readonly LiveEvent[]): readonly LiveEvent[] {
  return events.slice(events.findLastIndex(({ event }) => event.type === "log_reset") + 1);
}

/** Asserts that no event is missing or repeated, and that all words follow the last reset. */
function assertComplete(events: readonly LiveEvent[]): void {
  let [epoch, index] = [0, -1];
  for (const { cursor, event } of events) {
    const [nextEpoch = 0, nextIndex = 0] = cursor.split(".").map(Number);
    const isExpected = event.type === "log_reset"
      ? nextEpoch > epoch && nextIndex >= index
      : epoch === 0 || nextEpoch === epoch && nextIndex === index + 1;
    assert(isExpected, `${event.type} ${cursor} follows ${epoch}.${index}`);
    [epoch, index] = [nextEpoch, nextIndex];
  }
  const last = afterLastReset(events).map(({ event }) => event);
  const text = last.map((event) => event.type === "text_delta" ? event.text : "").join("");
  assertEquals(text, WORDS.join(""));
  assertEquals(last.filter(({ type }) => type === "tool_finished").length, 1);
  const [finished, ended] = last.slice(-2);
  assert(finished?.type === "run_finished" && ended?.type === "run_state");
  assertEquals([finished.output.finalText, ended.state], [WORDS.join(""), "ended"]);
}

Deno.test("Readers of a run in an SQLite file follow it from Node.js to Deno", async () => {
  await withTempDir((folder) => check(`${folder}/runs.db`, ["node", "deno"], SHORT, folder));
});

Deno.test("Readers of a run in PostgreSQL follow it to another worker", {
  ignore: !HAS_POSTGRES,
}, async () => {
  await withPostgres(async (url, folder) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    // pg-boss would notice the crash when the worker has been silent for 10 seconds.
    const onKill = async (): Promise<void> => {
      await client.query(
        "update parley_pgboss.job set heartbeat_on = now() - interval '1 minute' where state = 'active'",
      );
    };
    await check(url, ["node"], { ...SHORT, onKill }, folder);
    await client.end();
  });
});

Deno.test("Readers follow the runs of 12 killed workers in PostgreSQL", {
  ignore: !HAS_POSTGRES || !IS_FULL,
}, async () => {
  await withPostgres((url, folder) => check(url, ["node"], fullPlan(12, 0), folder));
});

Deno.test("Readers follow the runs of 30 killed workers in an SQLite file", {
  ignore: !IS_FULL,
}, async () => {
  await withTempDir((folder) =>
    check(`${folder}/runs.db`, ["node", "deno"], fullPlan(30, 11), folder)
  );
});

async function withPostgres(test: (url: string, folder: string) => Promise<void>): Promise<void> {
  await withTempDir(async (folder) => {
    const settings = { fsync: "off" };
    await using server = await startPostgres({ program: POSTGRES_RELEASES[18], settings });
    await test(server.url, folder);
  });
}
