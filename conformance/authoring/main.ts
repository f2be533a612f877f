/**
 * Formats the case files, places each case in the file of its topic, and writes the module that
 * imports the files.
 *
 *     deno task cases
 *     deno task cases --check     changes nothing, and names the files that are not as the task writes them
 *
 * @module
 */

import process from "node:process";
import { arrangeCases, findDifferences, parseCaseFiles } from "./case_files.ts";
import { isModuleCurrent, readCases, writeCases } from "./case_folder.ts";

/** Returns a message for each file that is not as the task writes it. */
async function findProblems(): Promise<readonly string[]> {
  const texts = await readCases();
  const arranged = arrangeCases(parseCaseFiles(texts));
  return [
    ...findDifferences(texts, arranged).map((problem) => `cases/${problem}`),
    ...(await isModuleCurrent(arranged) ? [] : ["case_files.ts does not import the case files"]),
  ];
}

async function main(args: readonly string[]): Promise<number> {
  const [flag] = args;
  if (flag !== undefined && flag !== "--check") {
    process.stderr.write("Usage: main.ts [--check]\n");
    return 2;
  }
  try {
    if (flag === undefined) {
      await writeCases(arrangeCases(parseCaseFiles(await readCases())));
      return 0;
    }
    const problems = await findProblems();
    for (const problem of problems) process.stderr.write(`conformance/${problem}\n`);
    if (problems.length > 0) process.stderr.write("Run deno task cases.\n");
    return problems.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    process.stderr.write(`${error.message}\n`);
    return 1;
  }
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
