import { assertEquals } from "@std/assert";
import { compare, type Expectation, readReport } from "./tck_report.ts";

const XML = `<?xml version="1.0"?><testsuites><testsuite name="pytest" tests="5">
<testcase classname="tests.core.test_a.TestA" name="test_one[jsonrpc]" time="0.1" />
<testcase classname="tests.core.test_a.TestA" name="test_two" time="0.1"><failure
 message="expected &quot;a&quot; &lt; &quot;b&quot;">trace</failure></testcase>
<testcase classname="tests.grpc" name="test_three"><skipped type="pytest.skip" message="no grpc">x</skipped></testcase>
<testcase classname="tests.grpc" name="test_four"><skipped type="pytest.xfail" message="no header" /></testcase>
<testcase classname="tests.grpc" name="test_five"><error message="boom">x</error></testcase>
</testsuite></testsuites>`;

Deno.test("readReport() reads the outcome of each test", () => {
  assertEquals(readReport(XML), [
    { id: "TestA.test_one[jsonrpc]", outcome: "passed", message: "" },
    { id: "TestA.test_two", outcome: "failed", message: 'expected "a" < "b"' },
    { id: "grpc.test_three", outcome: "skipped", message: "no grpc" },
    { id: "grpc.test_four", outcome: "xfailed", message: "no header" },
    { id: "grpc.test_five", outcome: "failed", message: "boom" },
  ]);
});

Deno.test("compare() lists tests without an expectation, and expectations without a test", () => {
  const skipped: Expectation = { outcome: "skipped", id: /^grpc/, message: /grpc/, reason: "r" };
  const other: Expectation = { outcome: "failed", id: /other/, reason: "r" };
  const optional: Expectation = { ...other, isOptional: true };
  const results = readReport(XML);
  assertEquals(compare(results, [skipped, other, optional]), {
    counts: { passed: 1, failed: 2, skipped: 1, xfailed: 1 },
    unexplained: [1, 3, 4].flatMap((index) => results[index] ?? []),
    unused: [other],
  });
});
