import { assertEquals } from "@std/assert";
import { findFailures, readVerdict } from "./referee.ts";

const OUTPUT = `Running scenario
=== SUMMARY ===
✓ ping: 2 passed, 0 failed
✗ tools-list: 1 passed, 1 failed
✗ tasks-lifecycle: 0 passed, 9 failed
✓ json-schema: 8 passed, 0 failed

Total: 11 passed, 10 failed

Not scored for 2026-07-28: 2 scenario(s) run, 1 failing. These do not affect conformance.
  ✗ tasks-lifecycle (extension)
  ✓ json-schema (pending)
`;

Deno.test("readVerdict() reads the referee's summary", () => {
  assertEquals(readVerdict(OUTPUT), {
    passed: ["ping", "json-schema"],
    failed: ["tools-list", "tasks-lifecycle"],
    notScored: ["tasks-lifecycle", "json-schema"],
  });
  assertEquals(readVerdict("something else"), undefined);
});

Deno.test("findFailures() names what had to pass and did not", () => {
  const verdict = { passed: ["a", "b"], failed: ["c", "d"], notScored: ["b", "d"] };
  assertEquals(findFailures(verdict, ["b", "d"]), ["c", "d"]);
  assertEquals(findFailures({ ...verdict, failed: ["d"] }, ["b"]), []);
});
