import { assertEquals } from "@std/assert";
import { countResults, exitCode } from "../../conformance/kit/counts.ts";
import type { Report } from "../../conformance/kit/report.ts";
import { isFailure } from "../../conformance/kit/verdict.ts";
import { run } from "../../conformance/runner/run.ts";

const LOOP = new URL("../testdata/agent_loop.ts", import.meta.url).pathname;
const AREA = "runtime/wire-openai-chat";

async function judge(fault: string): Promise<Report> {
  return await run({
    subject: { driver: { command: ["deno", "run", "-A", "--quiet", LOOP, fault] } },
    select: { libraries: ["runtime"], only: [`${AREA}/*`], profile: "core" },
  });
}

Deno.test("a correct agent loop passes all cases of its API that apply to it", async () => {
  const report = await judge("none");
  assertEquals(report.results.filter(isFailure).map(({ id }) => id), []);
  assertEquals(exitCode(report), 0);
  const { must, should } = countResults(report);
  assertEquals([must.passed >= 25, should.passed >= 4], [true, true]);
});

const FAULTS = [
  ["lost-error", "failing-tool"],
  ["skip-unknown", "unknown-tool"],
  ["wrong-id", "results-answer-calls"],
  ["twice", "no-second-result"],
  ["between", "results-directly-after-calls"],
  ["broken-input", "no-execution-without-json"],
] as const;

for (const [fault, name] of FAULTS) {
  Deno.test(`the cases name the fault "${fault}" of an agent loop`, async () => {
    const { results } = await judge(fault);
    const failed = results.filter(isFailure).map(({ id }) => id);
    assertEquals(failed.includes(`${AREA}/${name}`), true, failed.join(", "));
  });
}
