/**
 * Checks of the lists that every journal for durable runs must pass.
 *
 * @module
 */

import { expectEqual, newId } from "../../testing/expect.ts";
import type { RunFilter, RunJournal, RunPosition } from "../contracts.ts";
import { createRun, type EngineCheck, journalCheck as check, openRun } from "./engine_check.ts";

/** Ends of ids in the order of their code points, which differs from that of UTF-16 code units. */
const ENDS = ["", "%", "%25", "/", "A", "_", "a", "a%", "aa", "b", "é", "\u{FFFD}", "\u{10FFFF}z"];

/** Creates runs whose ids start with a text. */
async function createRuns(journal: RunJournal, start: string, ends: readonly string[]) {
  for (const end of ends) {
    await journal.create({ runId: `${start}${end}`, agent: "clerk", version: "1", input: "Hi" });
  }
}

/** Returns the ids of the runs on all pages. */
async function idsOf(journal: RunJournal, filter: RunFilter): Promise<readonly string[]> {
  const ids: string[] = [];
  let after: RunPosition | undefined;
  do {
    const page = await journal.list({ ...filter, after });
    ids.push(...page.map(({ runId }) => runId));
    after = page.at(-1);
  } while (after !== undefined && ids.length < 100);
  return ids;
}

/** Checks for {@linkcode RunJournal.list}. */
export const listChecks: readonly EngineCheck[] = [
  check("list() returns each run once, page by page", async (journal) => {
    const agent = newId("agent");
    const created: string[] = [];
    for (let index = 0; index < 5; index++) created.push(await createRun(journal, agent));
    const found: string[] = [];
    for (let after: RunPosition | undefined, page = 0; page < 4; page++) {
      const runs = await journal.list({ agent, limit: 2, after });
      found.push(...runs.map(({ runId }) => runId));
      after = runs.at(-1);
      if (after === undefined) break;
    }
    expectEqual(found.toSorted(), created.toSorted(), "the runs on all pages");
  }),
  check("list() filters by status and agent", async (journal) => {
    const agent = newId("agent");
    const [queued, running] = [await createRun(journal, agent), await createRun(journal, agent)];
    await createRun(journal, newId("other"));
    await openRun(journal, running);
    expectEqual(await idsOf(journal, { agent, status: "queued" }), [queued], "the queued runs");
    expectEqual(await idsOf(journal, { agent, status: "running" }), [running], "the running runs");
    expectEqual(await idsOf(journal, { agent, status: "done" }), [], "the runs that are done");
  }),
  check(
    "list() finds the ids that start with a text, in the order of code points",
    async (journal) => {
      const start = newId("run");
      const others = ["", "Z", "\u{10FFFF}"].map((end) => `${start.slice(0, -1)}${end}`);
      for (const runId of others) await createRuns(journal, runId, [""]);
      await createRuns(journal, start, ENDS.toReversed());
      const endsIn = async (filter: RunFilter): Promise<readonly string[]> =>
        (await idsOf(journal, filter)).map((runId) => runId.slice(start.length));
      expectEqual(await endsIn({ prefix: start }), ENDS, "all ids");
      expectEqual(await endsIn({ prefix: start, limit: 1 }), ENDS, "all ids on pages of one run");
      const cases = [
        ["%", ["%", "%25"]],
        ["_", ["_"]],
        ["a", ["a", "a%", "aa"]],
        ["a%", ["a%"]],
        ["\u{FFFD}", ["\u{FFFD}"]],
        ["\u{10FFFF}", ["\u{10FFFF}z"]],
        ["c", []],
      ] as const;
      for (const [end, expected] of cases) {
        expectEqual(await endsIn({ prefix: `${start}${end}` }), expected, `the ids with "${end}"`);
      }
      const filter = { prefix: start, status: "done" } as const;
      expectEqual(await endsIn(filter), [], "the ids of runs that are done");
    },
  ),
  check("list() sorts runs by their last change, most recent first", async (journal) => {
    const prefix = newId("run");
    await createRuns(journal, prefix, ["a", "b", "c", "d"]);
    const newest = async (): Promise<readonly string[]> => {
      const runs = await journal.list({ prefix, order: "updated" });
      const sorted = runs.toSorted((one, other) =>
        Date.parse(other.updatedAt) - Date.parse(one.updatedAt) ||
        (one.runId < other.runId ? 1 : -1)
      );
      expectEqual(runs, sorted, "the order of the runs");
      return runs.map(({ runId }) => runId.slice(prefix.length));
    };
    expectEqual((await newest()).toSorted(), ["a", "b", "c", "d"], "the runs");
    // The clock may not have advanced since the runs were created, so the run is changed until it
    // is the first.
    for (let tries = 0; (await newest())[0] !== "b" && tries < 10_000; tries++) {
      await openRun(journal, `${prefix}b`);
    }
    expectEqual((await newest())[0], "b", "the run that has changed");
    const running = await journal.list({ prefix, order: "updated", status: "running" });
    expectEqual(running.map(({ runId }) => runId), [`${prefix}b`], "the running runs");
  }),
  check("list() in the order of changes returns each run once, page by page", async (journal) => {
    const prefix = newId("run");
    const ends = Array.from({ length: 12 }, (_, index) => `${index}`);
    await Promise.all(ends.map((end) => createRuns(journal, prefix, [end])));
    const expected = await idsOf(journal, { prefix, order: "updated" });
    expectEqual(expected.toSorted(), ends.map((end) => `${prefix}${end}`).toSorted(), "the runs");
    for (const limit of [1, 5]) {
      const found = await idsOf(journal, { prefix, order: "updated", limit });
      expectEqual(found, expected, `the runs on pages of ${limit}`);
    }
  }),
];
