import { assert, assertEquals } from "@std/assert";
import { compileSchema } from "../kit/schema.ts";
import { readSuite } from "../kit/load_cases.ts";
import { formatJson } from "../reporters/json.ts";
import { formatJsonLine } from "../reporters/json_lines.ts";
import { run } from "../runner/run.ts";
import clauses from "../spec/clauses.json" with { type: "json" };
import clausesSchema from "./clauses.schema.json" with { type: "json" };
import driverSchema from "./driver.schema.json" with { type: "json" };
import reportSchema from "./report.schema.json" with { type: "json" };
import resultSchema from "./result.schema.json" with { type: "json" };

const DRIVER = new URL("../testdata/wayward_driver.ts", import.meta.url).pathname;

const SUITE = readSuite(
  new Map([["f", {
    kit: 1,
    defaults: { source: "s" },
    cases: [{
      id: "comm/x/y",
      kind: "vector",
      title: "t",
      level: "MUST",
      basis: "spec",
      clauses: ["COMM-X-1"],
      why: "w",
      op: "comm.echo",
      input: { trouble: true },
      expect: { ok: {} },
    }],
  }]]),
);

Deno.test("clauses.json is valid against its schema", () => {
  assertEquals(compileSchema(clausesSchema)(clauses), undefined);
});

Deno.test("reports and driver protocol messages are valid against their schemas", async () => {
  const report = await run({
    subject: { driver: { command: ["deno", "run", DRIVER, "fault"] } },
    suite: SUITE,
  });
  const written: unknown = JSON.parse(formatJson(report));
  assertEquals(compileSchema(reportSchema)(written), undefined);
  const lines = report.results.flatMap(({ trace = [] }) => trace);
  assert(lines.length >= 3);
  const check = compileSchema(driverSchema);
  for (const line of lines) {
    const message: unknown = JSON.parse(line.replace(/^\d+ ms [→←] /, ""));
    assertEquals(check(message), undefined, line);
  }
});

Deno.test("a line of a jsonl report is valid against the schema of results", async () => {
  const { $defs } = reportSchema;
  assertEquals(resultSchema.$ref, "report.schema.json#/$defs/result");
  const check = compileSchema({ $ref: "#/$defs/result", $defs });
  const { results } = await run({
    subject: { driver: { command: ["deno", "run", DRIVER, "fault"] } },
    suite: SUITE,
  });
  const lines = results.map(formatJsonLine);
  assertEquals(lines.map((line) => line.match(/\n/g)?.length), [1]);
  for (const line of lines) assertEquals(check(JSON.parse(line)), undefined, line);
  assert(check({ ...results[0], ms: "1" }) !== undefined);
});

Deno.test("compileSchema() reports a missing value", () => {
  assertEquals(compileSchema(true)(undefined), { path: "", message: "is missing" });
});

Deno.test("the driver schema rejects a result with two outcomes or none", () => {
  const check = compileSchema(driverSchema);
  assert(check({ type: "result", seq: 1 }) !== undefined);
  assert(check({ type: "result", seq: 1, ok: {}, fault: { message: "" } }) !== undefined);
  assertEquals(check({ type: "result", seq: 1, ok: null }), undefined);
});
