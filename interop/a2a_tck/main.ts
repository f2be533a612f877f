/**
 * Tests `a2aHandler` with the official compatibility kit of A2A, in several configurations:
 *
 *     deno run -A --config interop/deno.json interop/a2a_tck/main.ts FOLDER [PART-OF-A-NAME]
 *
 * FOLDER, or the environment variable `PARLEY_A2A_TCK`, is a clone of the branch `1.0-dev` of
 * https://github.com/a2aproject/a2a-tck. `PARLEY_A2A_TCK_PYTHON` is a Python with the packages that
 * the kit requires; the default is `python3`. Without a folder, the program prints that it has not
 * run the tests.
 *
 * Each test must pass, except those in {@linkcode CONFIGURATIONS}, each with its reason. The total
 * that the kit prints is not used: it also prints 100 percent if there is no server.
 *
 * @module
 */

import { readArguments, runTool, ToolError, tryRun, withTempDir } from "../../tools/cli.ts";
import { CONFIGURATIONS, type TestedConfiguration } from "./configurations.ts";
import { serveTckAgent } from "./tck_agent.ts";
import { compare, readReport, type TestResult } from "./tck_report.ts";

/** Runs the kit. Returns the results. */
async function runKit(
  folder: string,
  configuration: TestedConfiguration,
): Promise<readonly TestResult[]> {
  await using server = await serveTckAgent(configuration);
  const python = Deno.env.get("PARLEY_A2A_TCK_PYTHON") ?? "python3";
  return await withTempDir(async (dir) => {
    const report = `${dir}/report.xml`;
    const { stderr, stdout } = await tryRun(python, [
      "-m",
      "pytest",
      "tests/compatibility/",
      `--sut-host=${server.origin}`,
      "--webhook-host=127.0.0.1",
      `--junitxml=${report}`,
      "-q",
      "-p",
      "no:cacheprovider",
      ...configuration.select === undefined ? [] : ["-k", configuration.select],
    ], { cwd: folder });
    const xml = await Deno.readTextFile(report).catch(() => "");
    const results = readReport(xml);
    if (results.length === configuration.tests) return results;
    const count = `${results.length} tests instead of ${configuration.tests}`;
    throw new ToolError(`The kit has run ${count}:\n${stdout.slice(-2000)}${stderr.slice(-2000)}`);
  });
}

/** Runs a configuration and prints the result. Returns `true` if nothing is unexplained. */
async function check(folder: string, configuration: TestedConfiguration): Promise<boolean> {
  const results = await runKit(folder, configuration);
  const { counts, unexplained, unused } = compare(results, configuration.expectations);
  const { failed, passed, skipped, xfailed } = counts;
  console.log(
    `a2a, ${configuration.name}: ${passed} passed, ${failed} failed, ${xfailed} optional, ` +
      `${skipped} skipped, ${unexplained.length} unexplained`,
  );
  for (const { id, message, outcome } of unexplained) {
    console.error(`  ${id} ${outcome}: ${message.slice(0, 200)}`);
  }
  for (const { id, outcome, reason } of unused) {
    console.error(`  no test that matches ${id} is ${outcome}; remove the expectation: ${reason}`);
  }
  return unexplained.length + unused.length === 0;
}

/** Runs the configurations whose name contains a text. Returns the exit code. */
async function main(): Promise<number> {
  const { positionals: [given, part = ""] } = readArguments(Deno.args, {});
  const folder = given ?? Deno.env.get("PARLEY_A2A_TCK") ?? "";
  if (folder === "") {
    console.log("a2a: not run; pass the folder of the A2A compatibility kit");
    return 0;
  }
  let code = 0;
  for (const configuration of CONFIGURATIONS) {
    if (!configuration.name.includes(part)) continue;
    if (!await check(folder, configuration)) code = 1;
  }
  return code;
}

if (import.meta.main) await runTool("a2a", main);
