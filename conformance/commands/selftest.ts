/**
 * `parley-kit selftest`: tests the kit with mutants, controls and null subjects.
 *
 * @module
 */

import { type Arguments, type Flag, readArguments } from "../platform/read_arguments.ts";
import {
  countRandom,
  formatCounts,
  formatResult,
  testRandomMutants,
} from "../selftest/random_mutants.ts";
import { formatSelftest, selftest } from "../selftest/selftest.ts";
import { findRepository } from "../selftest/workspace.ts";
import { loadSuite } from "../suite.ts";
import { assertUnused, type Command, usageError } from "./command.ts";
import type { CommandIo } from "../kit/command_io.ts";

const FLAGS: Readonly<Record<string, Flag>> = {
  only: { type: "string", multiple: true },
  jobs: { type: "string" },
  all: { type: "boolean" },
  quiet: { type: "boolean", short: "q" },
  random: { type: "boolean" },
  seed: { type: "string" },
  count: { type: "string" },
  lib: { type: "string", multiple: true },
  json: { type: "boolean" },
};

const MEMBERS = ["comm", "runtime", "mcp"];

/** The `selftest` command. */
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
  --jobs N                   number of parallel subjects (default: 8)
  --all                      run all cases that list a mutant, not only until
                             one fails
  -q, --quiet                print only problems

With --random, the mutants are small faults at random places of the libraries.
The survivors are faults that no case detects; mutants/random.json lists the
mutants that no case can detect. Random mutants do not affect the exit code.
  --random                   test random mutants instead
  --seed N                   seed of the random choice (default: 1)
  --count N                  number of mutants per library (default: 60)
  --lib comm|runtime|mcp     mutate only these libraries (repeatable)
  --json                     print the results as JSON`,
  run: selftestCommand,
};

async function selftestCommand(words: readonly string[], io: CommandIo): Promise<number> {
  const args = readArguments(words, FLAGS);
  if (args.words.length > 0) {
    throw usageError(`Cannot test "${args.words[0]}": unexpected argument; use --only PATTERN`);
  }
  if (args.has("random")) assertUnused(args, ["all"], "with --random");
  else assertUnused(args, ["seed", "count", "lib", "json"], "without --random");
  const jobs = readCount(args, "jobs", 8);
  const repository = await findRepository();
  if (repository === undefined) {
    throw usageError("Cannot test the kit: the kit was not started from the Parley repository");
  }
  if (args.has("random")) return await randomCommand(args, io, { repository, jobs });
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

function readCount(args: Arguments, name: string, fallback: number): number {
  const value = Number(args.text(name) ?? fallback);
  if (Number.isInteger(value) && value >= 1) return value;
  throw usageError(`Cannot use --${name}: the value must be a positive integer`);
}

async function randomCommand(
  args: Arguments,
  io: CommandIo,
  settings: { readonly repository: URL; readonly jobs: number },
): Promise<number> {
  const members = args.texts("lib").length === 0 ? MEMBERS : args.texts("lib");
  const unknown = members.find((member) => !MEMBERS.includes(member));
  if (unknown !== undefined) {
    throw usageError(`Cannot use --lib "${unknown}": the value must be comm, runtime or mcp`);
  }
  const results = await testRandomMutants({
    ...settings,
    suite: loadSuite(),
    seed: readCount(args, "seed", 1),
    count: readCount(args, "count", 60),
    members,
    only: args.texts("only"),
    signal: io.signal,
    onResult: (result) => {
      const isShown = !args.has("quiet") || result.verdict === "survived";
      if (isShown && !args.has("json")) io.out(`${formatResult(result)}\n`);
    },
  });
  const names = [...members, ...(members.length > 1 ? ["all"] : [])];
  const counts = names.map((name) =>
    [name, countRandom(results, name === "all" ? undefined : name)] as const
  );
  if (args.has("json")) {
    io.out(`${JSON.stringify({ results, counts: Object.fromEntries(counts) }, null, 2)}\n`);
    return 0;
  }
  for (const [name, count] of counts) io.out(`${formatCounts(name, count)}\n`);
  return 0;
}
