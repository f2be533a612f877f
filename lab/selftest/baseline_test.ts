import { assert, assertEquals } from "@std/assert";
import { runtimeCommand } from "../../conformance/platform/process.ts";
import { loadSuite } from "../../conformance/suite.ts";
import { planBaseline } from "./baseline.ts";
import { chooseByPatterns, type Laboratory, readLaboratory } from "./laboratory.ts";
import { REPOSITORY, subjectBelow } from "./workspace.ts";

const SUITE = loadSuite();
const OWN = subjectBelow("/repository");
const NOTHING: Laboratory = { members: [], faults: [], controls: [], idle: [] };

const MUTANT = {
  id: "comm-did-x",
  title: "t",
  file: "comm/x.ts",
  find: "a",
  replace: "b",
  kills: ["comm/canonical-json/sample"],
  rows: ["comm/did-key/wrong-text#nothing"],
};

function casesOf(...ids: readonly string[]) {
  return ids.flatMap((id) => SUITE.get(id) ?? []);
}

Deno.test("planBaseline() contains only the cases that are listed for the selected mutants", () => {
  assertEquals(planBaseline({ ...NOTHING, members: [MUTANT] }, SUITE, OWN), [{
    revision: "2025-11-25",
    subject: {
      driver: {
        ...OWN.driver,
        command: runtimeCommand("/repository/conformance/drivers/typescript/parley_comm.ts"),
      },
    },
    ids: new Set(["comm/canonical-json/sample", "comm/did-key/wrong-text"]),
  }]);
  assertEquals(planBaseline(NOTHING, SUITE, OWN), []);
});

Deno.test("cases of several libraries run with the driver for all libraries", () => {
  assertEquals(OWN.driverOf(new Set(["comm", "mcp"])), OWN.driver);
});

Deno.test("planBaseline() opens only the transport of a fault, and separates the protocol versions", () => {
  const rule = { id: "wire-x", title: "t" };
  const kills = casesOf("mcp/json-rpc/id-number", "mcp/stateless/ids-are-kept");
  assertEquals(kills.length, 2);
  const fault = { id: "wire-x", rule, transport: "http", kills } as const;
  const subject = { url: OWN.url, start: OWN.start };
  assertEquals(planBaseline({ ...NOTHING, faults: [fault] }, SUITE, OWN), [
    { revision: "2025-11-25", subject, ids: new Set(["mcp/json-rpc/id-number"]) },
    { revision: "2026-07-28", subject, ids: new Set(["mcp/stateless/ids-are-kept"]) },
  ]);
});

Deno.test("planBaseline() contains all cases for servers that a control must not fail", () => {
  const rule = { id: "x", title: "t", cases: { revision: "2026-07-28" } };
  const control = { id: "x", rule, transport: "stdio", kills: [] } as const;
  const [only, ...more] = planBaseline({ ...NOTHING, controls: [control] }, SUITE, OWN);
  assertEquals(more, []);
  assertEquals([only?.revision, only?.subject], ["2026-07-28", { server: OWN.server }]);
  const kinds = casesOf(...only?.ids ?? []).map((each) => "role" in each ? each.role : each.kind);
  assert(kinds.length > 300);
  assertEquals(new Set(kinds), new Set(["server"]));
});

Deno.test("the lists of the laboratory have no errors, and patterns select all transports of a fault", async () => {
  const laboratory = await readLaboratory(REPOSITORY, SUITE);
  const chosen = chooseByPatterns(laboratory, ["wire-errors-no-message", "comm-did-url"]);
  assertEquals(chosen.members.map(({ id }) => id), ["comm-did-url"]);
  assertEquals(chosen.faults.map(({ transport }) => transport), ["stdio", "http"]);
  assertEquals([chosen.controls, chosen.idle], [[], []]);
});
