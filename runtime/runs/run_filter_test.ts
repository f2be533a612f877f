import { assertEquals, assertRejects } from "@std/assert";
import { memoryRuns, openRuns, type RunRecord } from "../runs.ts";

const RUN = { agent: "clerk", version: "1", input: "Go" };
const TIME = "2030-01-01T00:00:00.000Z";

Deno.test("list() accepts a run of the previous page as the position in both orders", async () => {
  const engine = memoryRuns();
  await using runs = openRuns(engine, {});
  for (const runId of ["a/1", "a/2", "b/1"]) await engine.journal.create({ ...RUN, runId });
  for (const order of ["id", "updated"] as const) {
    const found: string[] = [];
    let after: RunRecord | undefined;
    do {
      const page = await runs.list({ prefix: "a/", order, limit: 1, after });
      found.push(...page.map(({ runId }) => runId));
      after = page.at(-1);
    } while (after !== undefined);
    assertEquals(found.toSorted(), ["a/1", "a/2"], order);
  }
  assertEquals((await runs.list({ after: { runId: "a/2" } })).map(({ runId }) => runId), ["b/1"]);
  const all = await runs.list({ status: undefined, agent: undefined, prefix: undefined } as object);
  assertEquals(all.length, 3);
});

Deno.test("list() reads the position in a list, and nothing else of the run", async () => {
  const engine = memoryRuns();
  const filters: unknown[] = [];
  const list = engine.journal.list.bind(engine.journal);
  engine.journal.list = (filter) => {
    filters.push(filter);
    return list(filter);
  };
  await using runs = openRuns(engine, {});
  const run = { ...RUN, runId: "r1", updatedAt: "2030-01-01T01:00:00+01:00" };
  await runs.list({ after: run });
  await runs.list({ after: run, order: "updated" });
  assertEquals(filters, [
    { order: "id", after: { runId: "r1" } },
    { order: "updated", after: { runId: "r1", updatedAt: TIME } },
  ]);
});

Deno.test("list() rejects a filter that would list other runs", async () => {
  await using runs = openRuns(memoryRuns(), {});
  const position = '"filter.after.updatedAt" must be a time in ISO 8601 format for the order';
  const cases: readonly (readonly [object, string])[] = [
    [{ after: "r1" }, '"filter.after" must be an object, got "r1"'],
    [{ after: {} }, '"filter.after.runId" must be a string of 1 to 256 characters'],
    [{ after: { runId: "" } }, '"filter.after.runId" must be'],
    [{ after: { runId: "r1" }, order: "updated" }, `${position} "updated", got undefined; pass`],
    [{ after: { runId: "r1", updatedAt: "now" }, order: "updated" }, position],
    [{ after: { updatedAt: TIME }, order: "updated" }, '"filter.after.runId" must be'],
    [{ prefix: "" }, '"filter.prefix" must be a string of 1 to 256 characters'],
    [{ prefix: "\ud83d" }, '"filter.prefix" must be'],
    [{ prefix: "a\0" }, '"filter.prefix" must be'],
    [{ order: "newest" }, '"filter.order" must be "id" or "updated", got "newest"'],
    [{ status: "ended" }, '"filter.status" must be'],
    [{ prefx: "a" }, 'did you mean "prefix"?'],
  ];
  for (const [filter, message] of cases) {
    await assertRejects(() => runs.list(filter), TypeError, message);
  }
});
