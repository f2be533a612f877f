/**
 * Runs the kit's cases on third-party implementations and writes the results to `results.json`, the
 * list for `parley-kit explain`, the summary `../IMPLEMENTATIONS.md` and the page
 * `docs/public/implementations.html`. Keeps the stored results of subjects that are not selected,
 * or whose toolchain is not installed.
 *
 *     deno task kit:third-party [NAME...]
 *
 * @module
 */

import { KitError } from "../../conformance/kit/error.ts";
import type { CommandIo } from "../../conformance/kit/command_io.ts";
import type { Suite } from "../../conformance/kit/load_cases.ts";
import { formatLastLine } from "../../conformance/kit/counts.ts";
import { writeText } from "../../conformance/platform/fs.ts";
import { runProgram } from "../../conformance/platform/run_program.ts";
import { loadSuite } from "../../conformance/suite.ts";
import { buildProgram } from "./build.ts";
import { formatImplementations } from "./markdown.ts";
import { formatMatrixPage } from "./matrix_html.ts";
import { findStaleNotes, type SubjectResult } from "./result.ts";
import {
  formatKnownFailures,
  KNOWN_FAILURES,
  readResults,
  RESULTS,
  toEntries,
} from "./stored_results.ts";
import { chooseSubjects, type ThirdPartySubject } from "./subject.ts";
import { THIRD_PARTY_SUBJECTS } from "./subjects.ts";
import { testSubject } from "./test_subject.ts";

const SUMMARY = new URL("../IMPLEMENTATIONS.md", import.meta.url);
const PAGE = new URL("../../docs/public/implementations.html", import.meta.url);

async function main(names: readonly string[], io: CommandIo): Promise<number> {
  try {
    const chosen = chooseSubjects(THIRD_PARTY_SUBJECTS, names);
    const suite = loadSuite();
    const builds = new Map<string, boolean>();
    const problems: string[] = [];
    for (const subject of chosen) {
      problems.push(...await testAndStore(subject, { suite, builds, io }));
      if (io.signal.aborted) return 130;
    }
    for (const line of problems) io.err(`${line}\n`);
    return problems.length === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof KitError)) throw error;
    io.err(`kit:third-party: ${error.message}\n`);
    return 2;
  }
}

/**
 * Tests a subject and stores its results, so that an interrupt keeps the results of the completed
 * subjects. Returns the reason why the results are not stored, or the notes that match no failing
 * case.
 */
async function testAndStore(
  subject: ThirdPartySubject,
  { suite, builds, io }: {
    readonly suite: Suite;
    readonly builds: Map<string, boolean>;
    readonly io: CommandIo;
  },
): Promise<readonly string[]> {
  try {
    if (!await isBuilt(subject, builds, io)) return [];
    const tested = await testSubject(subject, { suite, signal: io.signal });
    if (tested === undefined) return [];
    await store(tested.result);
    io.out(`${subject.name}: ${formatLastLine(tested.report)}\n`);
    return findStaleNotes(subject, tested.result);
  } catch (error) {
    if (!(error instanceof KitError)) throw error;
    io.out(`${subject.name}: not stored\n`);
    return [error.message];
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
