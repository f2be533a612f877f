import { assertEquals } from "@std/assert";
import { InvariantLedger } from "./invariant_ledger.ts";

Deno.test("a rule without messages is not applicable", () => {
  const run = new InvariantLedger().settle("ids");
  assertEquals(run, { verdict: "n/a", note: "no message to which the rule applies" });
});

Deno.test("a rule without violations passes", () => {
  const ledger = new InvariantLedger();
  ledger.record("ids", { caseId: "mcp/a/b", problems: [] });
  assertEquals(ledger.settle("ids"), { verdict: "pass" });
  assertEquals(ledger.settle("schema").verdict, "n/a");
});

Deno.test("all violations of a rule are one failure", () => {
  const ledger = new InvariantLedger();
  ledger.record("ids", { caseId: undefined, problems: ["first"] });
  ledger.record("ids", { caseId: "mcp/a/b", problems: ["second", "first"] });
  ledger.record("ids", { caseId: "mcp/a/b", problems: ["third"] });
  ledger.record("ids", { caseId: "mcp/a/c", problems: ["fourth"] });
  ledger.record("ids", { caseId: "mcp/a/d", problems: [] });
  assertEquals(ledger.settle("ids"), {
    verdict: "fail",
    expected: "no violation in 5 messages",
    got: "first; second; third",
    note: "5 violations, provoked by mcp/a/b, mcp/a/c",
    provokedBy: ["mcp/a/b", "mcp/a/c"],
  });
});

Deno.test("a failure names at most 20 cases, and long descriptions are cut", () => {
  const ledger = new InvariantLedger();
  for (let index = 0; index < 30; index++) {
    ledger.record("ids", { caseId: `mcp/a/${index}`, problems: ["x".repeat(10_000)] });
  }
  const { provokedBy, got = "" } = ledger.settle("ids");
  assertEquals(provokedBy?.length, 20);
  assertEquals(got.length < 600, true);
});

Deno.test("the messages of excepted cases are not judged", () => {
  const ledger = new InvariantLedger();
  ledger.record("ids", { caseId: "mcp/a/b", problems: ["first"] });
  assertEquals(ledger.settle("ids", ["mcp/a/b"]).verdict, "n/a");
  ledger.record("ids", { caseId: "mcp/a/c", problems: [] });
  assertEquals(ledger.settle("ids", ["mcp/a/b"]), { verdict: "pass" });
  assertEquals(ledger.settle("ids", ["mcp/a/c"]).provokedBy, ["mcp/a/b"]);
});
