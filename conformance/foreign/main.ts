/**
 * Runs the kit's cases on implementations that nobody here wrote, and writes what came of it to `results.json` and
 * `../FOREIGN.md`. Results of subjects that are not named stay as they are.
 *
 *     deno task kit:foreign [NAME...]
 *
 * @module
 */

import { CaseLevel } from "../kit/case.ts";
import { KitError } from "../kit/error.ts";
import type { CommandIo } from "../kit/command_io.ts";
import { countResults, formatCounts, type Report } from "../kit/report.ts";
import { readText, writeText } from "../platform/fs.ts";
import { runProgram } from "../platform/run_program.ts";
import { run } from "../runner/run.ts";
import { loadSuite } from "../suite.ts";
import { formatForeign } from "./markdown.ts";
import { findStaleRemarks, type ForeignResult, toForeignResult } from "./result.ts";
import { chooseSubjects, type ForeignSubject, toSubject } from "./subject.ts";
import { FOREIGN_SUBJECTS } from "./subjects.ts";

const RESULTS = new URL("results.json", import.meta.url);
const PAGE = new URL("../FOREIGN.md", import.meta.url);

async function main(names: readonly string[], io: CommandIo): Promise<number> {
  try {
    const chosen = chooseSubjects(FOREIGN_SUBJECTS, names);
    const suite = loadSuite();
    const results = new Map((await readResults()).map((result) => [result.name, result]));
    const stale: string[] = [];
    for (const subject of chosen) {
      const report = await judge(subject, io.signal);
      if (report.isInterrupted) return 130;
      const result = toForeignResult(subject, report, suite);
      results.set(subject.name, result);
      stale.push(...findStaleRemarks(subject, result));
      io.out(`${subject.name}: ${formatCounts(countResults(report))}\n`);
    }
    await writeAll(results);
    for (const line of stale) io.err(`${line}\n`);
    return stale.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof KitError)) throw error;
    io.err(`kit:foreign: ${error.message}\n`);
    return 2;
  }
}

async function judge(subject: ForeignSubject, signal: AbortSignal): Promise<Report> {
  const { library, revision } = subject;
  return await run({
    subject: toSubject(subject),
    select: { libraries: [library], level: CaseLevel.May },
    signal,
    ...(revision === undefined ? {} : { revision }),
  });
}

/** What this program wrote the last time. */
async function readResults(): Promise<readonly ForeignResult[]> {
  return JSON.parse(await readText(RESULTS) ?? "[]");
}

async function writeAll(results: ReadonlyMap<string, ForeignResult>): Promise<void> {
  const judged = FOREIGN_SUBJECTS.flatMap((subject) => {
    const result = results.get(subject.name);
    return result === undefined ? [] : [{ subject, result }];
  });
  const list = judged.map(({ result }) => result);
  await writeText(RESULTS, `${JSON.stringify(list, null, 2)}\n`);
  await writeText(PAGE, formatForeign(judged));
}

if (import.meta.main) await runProgram(main);
