import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { KitError } from "../../conformance/kit/error.ts";
import { loadSuite } from "../../conformance/suite.ts";
import {
  findIdProblem,
  findListProblems,
  readExemptRows,
  readMemberMutants,
  readWireKills,
} from "./mutants.ts";
import { findRowProblems } from "./negative_rows.ts";
import { countOutcomes, type Outcome } from "./outcome.ts";
import { runPool } from "./pool.ts";
import { formatSelftest } from "./selftest.ts";
import { ALL_FAULTS } from "./find_fault.ts";
import { WIRE_CONTROLS } from "./wire_controls.ts";

const MEMBERS = new URL("../mutants/members/", import.meta.url);
const REPOSITORY = new URL("../../", import.meta.url);

Deno.test("every case that is listed for a mutant or a rule exists, and every rule has a list", async () => {
  const members = await readMemberMutants(MEMBERS);
  const wireKills = await readWireKills(new URL("../mutants/wire_faults.json", import.meta.url));
  const suite = loadSuite();
  assertEquals(findListProblems(members, { rules: ALL_FAULTS, wireKills, suite }), []);
});

Deno.test('every library mutant\'s "find" text occurs exactly once in its file', async () => {
  for (const { id, file, find } of await readMemberMutants(MEMBERS)) {
    const text = await Deno.readTextFile(new URL(file, REPOSITORY));
    assertEquals(text.split(find).length - 1, 1, `${id} in ${file}`);
  }
});

Deno.test("every negative row is listed for a mutant or is exempt, and no exemption is unnecessary", async () => {
  const exempt = await readExemptRows(new URL("../mutants/exempt_rows.json", import.meta.url));
  assertEquals(findRowProblems(await readMemberMutants(MEMBERS), exempt, loadSuite()), []);
});

Deno.test("findListProblems() reports unknown cases and rules without a list of cases", () => {
  const problems = findListProblems([
    { id: "comm-x-a", kills: ["no/such/case"] },
    { id: "comm-x-b", kills: ["comm/canonical-json/sample"] },
  ], {
    rules: [{ id: "wire-a" }, { id: "wire-b" }],
    wireKills: new Map([["wire-a", ["mcp/no/case"]], ["wire-c", ["mcp/tools/call"]]]),
    suite: loadSuite(),
  });
  assertEquals(problems, [
    "mutant comm-x-a lists no/such/case, which is not a case",
    "mutant wire-a lists mcp/no/case, which is not a case",
    "no case is listed for the rule wire-b",
    "cases are listed for wire-c, which is not a rule",
  ]);
});

Deno.test("findIdProblem() names the pattern of a malformed id and the place of a duplicate id", () => {
  const first = { id: "comm-x-first", place: "comm.json:3" };
  assertEquals(
    findIdProblem([first, { id: "runtime-x-first", place: "runtime.json:3" }]),
    undefined,
  );
  const malformed = findIdProblem([first, { id: "B991", place: "runtime.json:9" }]) ?? "";
  assertStringIncludes(
    malformed,
    'Cannot use mutant id "B991" (runtime.json:9): expected <member>-',
  );
  assertStringIncludes(malformed, "^(comm|runtime|mcp)(-[a-z0-9]+){2,}$");
  assertEquals(
    findIdProblem([first, { id: "comm-x-first", place: "mcp.json:5" }]),
    'Cannot use mutant id "comm-x-first" (mcp.json:5): the id is used in comm.json:3',
  );
});

Deno.test("readMemberMutants() finds a malformed id in the lists of a folder", async () => {
  const folder = new URL("../testdata/mutants/", import.meta.url);
  const place = `${new URL("runtime.json", folder).pathname}:3`;
  await assertRejects(() => readMemberMutants(folder), KitError, `"B991" (${place})`);
});

Deno.test("there are at least twelve relay controls, each with a unique id", () => {
  assert(WIRE_CONTROLS.length >= 12);
  assertEquals(new Set(WIRE_CONTROLS.map(({ id }) => id)).size, WIRE_CONTROLS.length);
});

Deno.test("the control for the latest protocol version changes a message's encoding and optional members only", () => {
  const rule = WIRE_CONTROLS.find(({ cases }) => cases?.revision === "2026-07-28" && !cases.only);
  const message = { jsonrpc: "2.0", id: 1, result: { capabilities: {}, name: "secret/é" } };
  const [text] = rule?.answer?.(message, { request: { method: "server/discover" } }) ?? [];
  assert(typeof text === "string");
  for (const part of ["\\/", "\\u00e9", "s\\u0065cr", '" , "', "\r"]) {
    assert(text.includes(part), part);
  }
  assertEquals(JSON.parse(text), {
    jsonrpc: "2.0",
    id: 1,
    result: {
      capabilities: { "x.example/a": {} },
      name: "secret/é",
      instructions: "Use the tools.",
      _meta: { "x.example/a": 1 },
    },
  });
});

Deno.test("runPool() returns results in the order of the items and never uses a worker twice concurrently", async () => {
  const busy = new Set<string>();
  const results = await runPool([3, 1, 2, 0], ["a", "b"], async (item, worker) => {
    assert(!busy.has(worker));
    busy.add(worker);
    for (let turn = 0; turn < item; turn++) await Promise.resolve();
    busy.delete(worker);
    return item * 10;
  });
  assertEquals(results, [30, 10, 20, 0]);
});

Deno.test("a mutant that survives and a control that fails are tested again, once, alone and in the given place", async () => {
  let running = 0;
  let calls = 0;
  const retry = (outcome: Outcome) => async (place: string): Promise<Outcome> => {
    calls++;
    assertEquals([++running, place], [1, "spare"]);
    await Promise.resolve();
    running--;
    return outcome;
  };
  const counts = await countOutcomes([
    { spared: true },
    { retry: retry({ spared: true }) },
    { killed: true },
    { retry: retry({ killed: true }) },
    { retry: retry({ spared: false }) },
    { retry: retry({ killed: false }) },
    { killed: false },
    { passes: 2 },
  ], "spare");
  assertEquals([counts, calls], [{
    mutants: { all: 4, killed: 2 },
    controls: { all: 3, spared: 2 },
    nullPasses: 2,
    retried: 4,
  }, 4]);
  assertEquals(
    formatSelftest(counts),
    "mutants 2/4 killed, controls 2/3 without failing cases, 2 cases passed by null subjects; 4 run again",
  );
  assertEquals(
    formatSelftest({ ...counts, nullPasses: 0, retried: 0 }),
    "mutants 2/4 killed, controls 2/3 without failing cases, 0 cases passed by null subjects",
  );
});
