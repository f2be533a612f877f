import { assertEquals } from "@std/assert";
import {
  findFailures,
  hasPassed,
  readFailedChecks,
  readListing,
  readOutcomes,
} from "./official_suite_report.ts";

Deno.test("readListing() returns the required and other scenarios of each side", () => {
  const text = `Required for 2026-07-28 (3 scenarios, frozen; run at the 2026-07-28 wire):

Server scenarios (test against a server):
  - ping
  - tools-list

Client scenarios (test against a client):
  - auth/scope

Run and reported, but never scored:
  extension (2):
    - auth/dpop [client]
    - tasks-lifecycle [server]
  pending (1):
    - json-schema [server]
`;
  assertEquals(readListing(text), {
    server: { required: ["ping", "tools-list"], others: ["tasks-lifecycle", "json-schema"] },
    client: { required: ["auth/scope"], others: ["auth/dpop"] },
  });
});

const SUMMARY = `
✓ ping: 2 passed, 0 failed
✗ tools-list: 1 passed, 1 failed
    - ToolsList: no name
✗ sse-retry: 3 passed, 0 failed, 1 warnings
✓ tasks-status: 0 passed, 0 failed
- tasks-input: skipped

Total: 6 passed, 1 failed

Not scored for 2026-07-28: 2 scenario(s) run, 1 failing. These do not affect conformance.
  ✗ tasks-status (extension)
`;

Deno.test("readOutcomes() reads the summaries of both sides", () => {
  const outcomes = [
    ["ping", "passed"],
    ["tools-list", "failed"],
    ["sse-retry", "failed"],
    ["tasks-status", "checked nothing"],
    ["tasks-input", "checked nothing"],
  ] as const;
  for (const title of ["=== SUMMARY ===", "=== SUITE SUMMARY ==="]) {
    assertEquals(readOutcomes(`Running\n${title}\n${SUMMARY}`), new Map(outcomes));
  }
  assertEquals(readOutcomes("something else"), undefined);
});

Deno.test("hasPassed() reads the result of a single scenario", () => {
  for (
    const [line, expected] of [
      ["Passed: 32/32, 0 failed, 0 warnings", true],
      ["Passed: 0/0, 0 failed, 0 warnings", false],
      ["Passed: 3/4, 1 failed, 0 warnings", false],
      ["Passed: 4/4, 0 failed, 1 warnings", false],
      ["SKIPPED: not applicable", false],
    ] as const
  ) {
    assertEquals([line, hasPassed(`Test Results:\n${line}\n`)], [line, expected]);
  }
});

Deno.test("findFailures() reports scenarios that did not pass, except expected failures", () => {
  const scenarios = { required: ["a", "b", "c", "x/1"], others: ["d"] };
  const outcomes = new Map(
    [
      ["a", "passed"],
      ["b", "failed"],
      ["d", "checked nothing"],
      ["new", "passed"],
      ["x/1", "failed"],
    ] as const,
  );
  assertEquals(findFailures(scenarios, outcomes, [{ prefix: "x/" }, { prefix: "a" }]), {
    failed: ["b", "c", "d", "new"],
    expected: [{ prefix: "x/", names: ["x/1"] }],
    stale: [{ prefix: "a" }],
  });
});

Deno.test("readFailedChecks() returns the failed checks of each scenario", async () => {
  const folder = new URL("testdata", import.meta.url).pathname;
  assertEquals(
    await readFailedChecks(folder),
    new Map([
      ["auth/scope", ["scope: The scope is missing", "late: It came late"]],
      ["ping", []],
    ]),
  );
});
