/**
 * `parley-kit selftest`: tests the kit with mutants, controls and null subjects.
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
  summary: "test the kit with mutants, controls and null subjects",
  usage: `parley-kit selftest [--only PATTERN] [--jobs N] [--all] [--quiet]

Tests the kit itself. A mutant is a copy of a Parley library, or a relay in
front of the Parley MCP server, with one fault: a case that lists the mutant
must fail. A control is a harmless change: no case may fail because of it. A
null subject implements nothing: it must pass no case. This command works only
in the Parley repository.
  --only PATTERN             run only matching mutants, controls and null
                             subjects (repeatable)
  --jobs N                   number of parallel subjects (default: 6)
  --all                      run all cases that list a mutant, not only until
                             one fails
  -q, --quiet                print only problems`,
  run: selftestCommand,
};

async function selftestCommand(words: readonly string[], io: CommandIo): Promise<number> {
  const args = readArguments(words, FLAGS);
  if (args.words.length > 0) {
    throw usageError(`Cannot test "${args.words[0]}": unexpected argument; use --only PATTERN`);
  }
  const jobs = Number(args.text("jobs") ?? "6");
  if (!Number.isInteger(jobs) || jobs < 1) {
    throw usageError("Cannot use --jobs: the value must be a positive integer");
  }
  const repository = await findRepository();
  if (repository === undefined) {
    throw usageError("Cannot test the kit: the kit was not started from the Parley repository");
  }
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
