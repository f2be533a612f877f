/**
 * `parley-kit selftest`: the kit against faults, harmless changes and subjects that do nothing.
 *
 * @module
 */

import { type Flag, readArguments } from "../platform/read_arguments.ts";
import { formatSelftest, selftest } from "../selftest/selftest.ts";
import { findRepository } from "../selftest/workspace.ts";
import { loadSuite } from "../suite.ts";
import { type Command, usageError } from "./command.ts";
import type { CommandIo } from "../kit/command_io.ts";

const FLAGS: Readonly<Record<string, Flag>> = {
  only: { type: "string", multiple: true },
  jobs: { type: "string" },
  all: { type: "boolean" },
  quiet: { type: "boolean", short: "q" },
};

/** The command `selftest`. */
export const SELFTEST: Command = {
  summary: "the kit against named faults, controls and null subjects",
  usage: `parley-kit selftest [--only PATTERN] [--jobs N] [--all] [--quiet]

Breaks copies of our own libraries and the wire to our own server, one named
fault at a time: each must make a case fail that names it. Makes harmless
changes: no case may fail. Runs subjects that do nothing right: they must pass
nothing. It needs the repository; a published kit has nothing to break.
  --only PATTERN             only these mutants, controls and null subjects (may
                             come again)
  --jobs N                   how many subjects run at a time (default 6: they
                             wait more than they work)
  --all                      every case that catches a mutant, not only one
  --quiet                    only what is wrong`,
  run: selftestCommand,
};

async function selftestCommand(words: readonly string[], io: CommandIo): Promise<number> {
  const args = readArguments(words, FLAGS);
  if (args.words.length > 0) throw usageError(`Cannot test "${args.words[0]}": use --only PATTERN`);
  const jobs = Number(args.text("jobs") ?? "6");
  if (!Number.isInteger(jobs) || jobs < 1) {
    throw usageError("Cannot use --jobs: it is no number above 0");
  }
  const repository = await findRepository();
  if (repository === undefined) throw usageError("Cannot test the kit: its repository is not here");
  const report = await selftest({
    repository,
    suite: loadSuite(),
    only: args.texts("only"),
    jobs,
    all: args.has("all"),
    signal: io.signal,
    onLine: (line) => {
      if (!args.has("quiet") || /SURVIVES|FAILED|PASSES/.test(line)) io.out(`${line}\n`);
    },
  });
  for (const problem of report.problems) io.out(`problem: ${problem}\n`);
  io.out(`${formatSelftest(report)}\n`);
  const { mutants, controls, nullPasses, problems } = report;
  const isGood = mutants.killed === mutants.all && controls.spared === controls.all &&
    nullPasses === 0 && problems.length === 0;
  return isGood ? 0 : 1;
}
