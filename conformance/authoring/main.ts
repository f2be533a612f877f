/**
 * Formats the case files, or checks that they are formatted.
 *
 *     deno task cases
 *     deno task cases --check
 *
 * @module
 */

import process from "node:process";
import { findUnformatted, formatAll, readCaseTexts } from "./case_files.ts";

const CASES = new URL("../cases/", import.meta.url);

if (import.meta.main) {
  const [flag] = process.argv.slice(2);
  if (flag !== undefined && flag !== "--check") {
    process.stderr.write("Usage: main.ts [--check]\n");
    process.exit(2);
  }
  if (flag === undefined) await formatAll(CASES);
  const problems = findUnformatted(await readCaseTexts(CASES));
  for (const problem of problems) process.stderr.write(`conformance/cases/${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
