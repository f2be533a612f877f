import { assertEquals } from "@std/assert";
import { listMissingFixtures } from "./missing_fixtures.ts";
import type { CaseResult } from "./verdict.ts";

function lacking(...missing: readonly (readonly string[])[]): readonly CaseResult[] {
  return missing.map((missingFixtures, index) => ({
    id: `mcp/x/${index}`,
    title: "t",
    rev: "00000000",
    verdict: "untestable",
    level: "MUST",
    isRequired: true,
    ms: 0,
    ...(missingFixtures.length === 0 ? {} : { missingFixtures }),
  }));
}

Deno.test("listMissingFixtures() lists fixtures by the number of cases that they make testable", () => {
  const results = lacking(["tool:b"], ["tool:a"], [], ["tool:a"], ["resource:c"], ["tool:a"]);
  assertEquals(listMissingFixtures(results), [
    { fixtures: ["tool:a"], cases: 3 },
    { fixtures: ["tool:b"], cases: 1 },
    { fixtures: ["resource:c"], cases: 1 },
  ]);
  assertEquals(listMissingFixtures(lacking([])), []);
});

Deno.test("listMissingFixtures() counts a case with two fixtures only when both are listed", () => {
  const results = lacking(["tool:a"], ["tool:a"], ["tool:a", "tool:b"], ["tool:b"], ["tool:c"], [
    "tool:c",
    "tool:d",
  ]);
  // With a, two cases; then b completes the third and its own case; c and d follow.
  assertEquals(listMissingFixtures(results), [
    { fixtures: ["tool:a"], cases: 2 },
    { fixtures: ["tool:b"], cases: 2 },
    { fixtures: ["tool:c"], cases: 1 },
    { fixtures: ["tool:d"], cases: 1 },
  ]);
});

Deno.test("listMissingFixtures() lists fixtures together if none of them alone makes a case testable", () => {
  const results = lacking(["tool:a", "tool:b"], ["tool:b", "tool:a"], ["tool:c"]);
  assertEquals(listMissingFixtures(results), [
    { fixtures: ["tool:a", "tool:b"], cases: 2 },
    { fixtures: ["tool:c"], cases: 1 },
  ]);
});
