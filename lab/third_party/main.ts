/**
 * Runs the kit's cases on third-party implementations and writes the results to `results.json`, the
 * list for `parley-kit explain`, the summary `../IMPLEMENTATIONS.md` and the page
 * `docs/public/implementations.html`. Keeps the stored results of subjects that are not selected, or
 * whose toolchain is not installed.
 *
 *     deno task kit:third-party [NAME...]
 *
 * @module
 */

import { CaseLevel } from "../../conformance/kit/case.ts";
import { KitError } from "../../conformance/kit/error.ts";
import type { CommandIo } from "../../conformance/kit/command_io.ts";
import { countResults, formatCounts, type Report } from "../../conformance/kit/report.ts";
import { writeText } from "../../conformance/platform/fs.ts";
import { runProgram } from "../../conformance/platform/run_program.ts";
import { run } from "../../conformance/runner/run.ts";
import { loadSuite } from "../../conformance/suite.ts";
import { buildProgram } from "./build.ts";
import { formatImplementations } from "./markdown.ts";
import { formatMatrixPage } from "./matrix_html.ts";
import { findStaleNotes, type SubjectResult, toSubjectResult } from "./result.ts";
import {
  formatKnownFailures,
  KNOWN_FAILURES,
  readResults,
  RESULTS,
  toEntries,
} from "./stored_results.ts";
import { chooseSubjects, type ThirdPartySubject, toSubject } from "./subject.ts";
import { THIRD_PARTY_SUBJECTS } from "./subjects.ts";

/** Factor by which all timeouts are multiplied, because interpreters and virtual machines can take seconds to start. */
const TIMEOUT_FACTOR = 4;

const SUMMARY = new URL("../IMPLEMENTATIONS.md", import.meta.url);
const PAGE = new URL("../../docs/public/implementations.html", import.meta.url);

async function main(names: readonly string[], io: CommandIo): Promise<number> {
  try {
    const chosen = chooseSubjects(THIRD_PARTY_SUBJECTS, names);
    const suite = loadSuite();
    const stale: string[] = [];
    const builds = new Map<string, boolean>();
    for (const subject of chosen) {
      if (!await isBuilt(subject, builds, io)) continue;
      const report = await runCases(subject, io.signal);
      if (report.isInterrupted) return 130;
      const result = toSubjectResult(subject, report, suite);
      // An interrupted run keeps the results of its completed subjects.
      await store(result);
      stale.push(...findStaleNotes(subject, result));
      io.out(`${subject.name}: ${formatCounts(countResults(report))}\n`);
    }
    for (const line of stale) io.err(`${line}\n`);
    return stale.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof KitError)) throw error;
    io.err(`kit:third-party: ${error.message}\n`);
    return 2;
  }
}

/**
 * Builds a subject's program, once for all subjects that share it. Returns false if the toolchain
 * is not installed.
 */
async function isBuilt(
  { build }: ThirdPartySubject,
  builds: Map<string, boolean>,
  io: CommandIo,
): Promise<boolean> {
  if (build === undefined) return true;
  const built = builds.get(build) ?? await buildProgram(build, (reason) => io.err(`${reason}\n`));
  builds.set(build, built);
  return built;
}

async function runCases(subject: ThirdPartySubject, signal: AbortSignal): Promise<Report> {
  const { library, revision } = subject;
  return await run({
    subject: toSubject(subject),
    select: { libraries: [library], level: CaseLevel.May },
    signal,
    timeoutFactor: TIMEOUT_FACTOR,
    ...(revision === undefined ? {} : { revision }),
  });
}

/** Replaces the stored results of a subject, and writes the summary and the page. */
async function store(result: SubjectResult): Promise<void> {
  const stored = await readResults();
  const entries = toEntries([...stored.filter(({ name }) => name !== result.name), result]);
  const list = entries.map((entry) => entry.result);
  await writeText(RESULTS, `${JSON.stringify(list, null, 2)}\n`);
  await writeText(KNOWN_FAILURES, formatKnownFailures(list));
  await writeText(SUMMARY, formatImplementations(entries));
  await writeText(PAGE, formatMatrixPage(entries));
}

if (import.meta.main) await runProgram(main);
