import { assertEquals } from "@std/assert";
import { readOutput } from "./command_output.ts";

const PROGRAM = new URL("broken_mutants.ts", import.meta.url).pathname;

/** The program writes files, for which tests have no permission. */
async function check(...args: readonly string[]) {
  const { code, out } = await readOutput(["deno", "run", "-A", "--no-check", PROGRAM, ...args]);
  return { code, problems: out.split("\n").filter((line) => line !== "") };
}

Deno.test("every library mutant has a valid syntax and uses only defined names", async () => {
  assertEquals(await check(), { code: 0, problems: [] });
});

Deno.test("the check of mutants reports undefined names and syntax errors", async () => {
  const { code, problems } = await check("lab/testdata/broken_mutants/");
  assertEquals(code, 1);
  const [brace = "", ...others] = problems;
  assertEquals(brace.split(": ")[0], "mutant runtime-fifo-brace-missing does not run");
  assertEquals(others, [
    "mutant runtime-fifo-function-not-imported does not run: isEmpty is not defined",
    "mutant runtime-fifo-private-name does not run: #count is not defined",
    "mutant runtime-fifo-variable-removed does not run: length is not defined",
  ]);
});
