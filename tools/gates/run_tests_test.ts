import { assertEquals } from "@std/assert";
import { readSummary, testArguments } from "./run_tests.ts";

Deno.test("readSummary() returns the counts of passing, failing and partly ignored runs", () => {
  assertEquals(readSummary("x ... ok\n\nok | 10 passed | 0 failed (9ms)\n"), {
    passed: 10,
    failed: 0,
  });
  assertEquals(readSummary("FAILED | 7 passed (2 steps) | 2 failed (1s)\n\nerror: Test failed"), {
    passed: 7,
    failed: 2,
  });
  assertEquals(readSummary("ok | 3 passed | 0 failed | 1 ignored (3s)"), { passed: 3, failed: 0 });
});

Deno.test("readSummary() returns undefined if the run ended before its summary", () => {
  assertEquals(readSummary("error: Type checking failed."), undefined);
});

Deno.test("testArguments() forwards arguments, and omits slow tests and examples for --fast", () => {
  const common = ["test", "--permission-set", "--parallel", "--frozen", "--no-check"];
  assertEquals(testArguments(["comm/"], ["npm"]), [...common, "--doc", "comm/"]);
  assertEquals(testArguments(["--fast", "comm/"], ["npm"]), [
    ...common,
    "--ignore=npm,**/stress/,conformance/drivers/go/,conformance/drivers/python/,lab/generators/,lab/third_party/",
    "comm/",
  ]);
});
