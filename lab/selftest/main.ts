/**
 * Tests the kit with mutants, controls and null subjects.
 *
 *     deno task selftest [--only PATTERN | --affected] [--list] [--jobs N] [--all]
 *
 * @module
 */

import { assertUnused, usageError } from "../../conformance/commands/command.ts";
import type { CommandIo } from "../../conformance/kit/command_io.ts";
import { KitError } from "../../conformance/kit/error.ts";
import type { Suite } from "../../conformance/kit/load_cases.ts";
import { pluralize } from "../../conformance/kit/pluralize.ts";
import {
  type Arguments,
  type Flag,
  readArguments,
} from "../../conformance/platform/read_arguments.ts";
import { runProgram } from "../../conformance/platform/run_program.ts";
import { loadSuite } from "../../conformance/suite.ts";
import { findAffected } from "./affected.ts";
import { findBase, readChange } from "./change.ts";
import {
  chooseByPatterns,
  type Laboratory,
  narrowLaboratory,
  readLaboratory,
} from "./laboratory.ts";
import { RANDOM_MEMBERS, type RandomReport, testRandomMutants } from "./random_mutants.ts";
import {
  countRandom,
  formatCounts,
  formatResult,
  isContradicted,
  needsAttention,
} from "./random_report.ts";
import { formatSelftest, selftest } from "./selftest.ts";
import { REPOSITORY } from "./workspace.ts";

const FLAGS: Readonly<Record<string, Flag>> = {
  help: { type: "boolean", short: "h" },
  only: { type: "string", multiple: true },
  jobs: { type: "string" },
  affected: { type: "boolean" },
  base: { type: "string" },
  list: { type: "boolean" },
  all: { type: "boolean" },
  quiet: { type: "boolean", short: "q" },
  random: { type: "boolean" },
  excluded: { type: "boolean" },
  seed: { type: "string" },
  count: { type: "string" },
  lib: { type: "string", multiple: true },
  json: { type: "boolean" },
};

const USAGE = `deno task selftest [--only PATTERN | --affected] [--list] [--jobs N]

Tests the kit itself. A mutant is a copy of a Parley library, or a relay in
front of the Parley MCP server, with one fault: a case that is listed for the
mutant must fail. A control is a harmless change: no case may fail because of
it. A null subject implements nothing: it must pass no case.
  --only PATTERN             run only matching mutants, controls and null
                             subjects (repeatable)
  --affected                 run only what a change can affect: mutants whose
                             file, definition or cases differ from the base;
                             if the kit differs, one mutant for each case file
                             and everything on the wire
  --base COMMIT              base of --affected (default: the merge base with
                             origin/main, or the parent commit)
  --list                     print the selected mutants, controls and null
                             subjects, without running them
  --jobs N                   number of parallel subjects (default: 8)
  --all                      run all cases that are listed for a mutant,
                             not only until one fails
  -q, --quiet                print only problems

With --random, the mutants are small faults at random places of the libraries.
The survivors are faults that no case detects. lab/mutants/random.json lists the
classes of mutants that no case can detect, and single survivors that are known.
Listed mutants are run too: a listed mutant that a case detects is an error.
  --random                   test random mutants instead
  --excluded                 draw only mutants in excluded classes
  --seed N                   seed of the random choice (default: 1)
  --count N                  number of mutants per member (default: 60)
  --lib MEMBER               mutate only this member: comm, runtime, mcp, or
                             internal, the code that they share; its mutants
                             are run with the cases of all three (repeatable)
  --json                     print the results as JSON`;

/**
 * Runs a command line.
 *
 * @returns The exit code. 0: the kit passes. 1: a mutant survives, a control fails, a null subject
 *   passes, a list has an error, or a case detects a random mutant that is listed as undetectable.
 *   2: invalid usage or an unreadable file. 130: interrupted.
 */
export async function main(words: readonly string[], io: CommandIo): Promise<number> {
  try {
    const args = readArguments(words, FLAGS);
    if (!args.has("help")) return await runSelftest(args, io);
    io.out(`${USAGE}\n`);
    return 0;
  } catch (error) {
    if (io.signal.aborted) return 130;
    if (!(error instanceof KitError)) throw error;
    io.err(`selftest: ${error.message}\n`);
    return 2;
  }
}

async function runSelftest(args: Arguments, io: CommandIo): Promise<number> {
  if (args.words.length > 0) {
    throw usageError(`Cannot test "${args.words[0]}": unexpected argument; use --only PATTERN`);
  }
  if (args.has("random")) {
    assertUnused(args, ["all", "affected", "base", "list"], "with --random");
  } else {
    assertUnused(args, ["excluded", "seed", "count", "lib", "json"], "without --random");
  }
  if (args.has("affected")) assertUnused(args, ["only"], "with --affected");
  else assertUnused(args, ["base"], "without --affected");
  const jobs = readCount(args, "jobs", 8);
  if (args.has("random")) return await testRandom(args, io, { repository: REPOSITORY, jobs });
  const suite = loadSuite();
  const laboratory = await choose(args, io, suite);
  io.out(`${formatSelection(laboratory)}\n`);
  if (args.has("list")) {
    for (const line of listLaboratory(laboratory)) io.out(`${line}\n`);
    return 0;
  }
  const report = await selftest({
    repository: REPOSITORY,
    suite,
    laboratory,
    jobs,
    all: args.has("all"),
    signal: io.signal,
    onLine: (line) => {
      if (!args.has("quiet") || ALWAYS_SHOWN.test(line)) io.out(`${line}\n`);
    },
  });
  for (const problem of report.problems) io.out(`problem: ${problem}\n`);
  io.out(`${formatSelftest(report)}\n`);
  const { mutants, controls, nullPasses, problems } = report;
  const isGood = mutants.killed === mutants.all && controls.spared === controls.all &&
    nullPasses === 0 && problems.length === 0;
  return isGood ? 0 : 1;
}

/** Selects what to run, and prints the reasons if a change selects it. */
async function choose(args: Arguments, io: CommandIo, suite: Suite): Promise<Laboratory> {
  const laboratory = await readLaboratory(REPOSITORY, suite);
  if (!args.has("affected")) return chooseByPatterns(laboratory, args.texts("only"));
  const base = args.text("base") ?? await findBase(REPOSITORY);
  const affected = findAffected(laboratory, suite, await readChange(REPOSITORY, base));
  io.out(`changes since ${base}\n`);
  for (const { reason, ids } of affected) {
    io.out(`selected ${ids.length}, because ${reason}: ${ids.join(", ")}\n`);
  }
  const wanted = new Set(affected.flatMap(({ ids }) => ids));
  return narrowLaboratory(laboratory, (id) => wanted.has(id));
}

/** Describes each mutant, control and null subject in one line. */
function listLaboratory({ members, faults, controls, idle }: Laboratory): readonly string[] {
  return [
    ...members.map(({ id, title, file }) => `mutant ${id}: ${title} (${file})`),
    ...faults.map(({ id, rule, transport }) => `mutant ${id}: ${rule.title} (${transport})`),
    ...controls.map(({ id, rule, transport }) => `control ${id}: ${rule.title} (${transport})`),
    ...idle.map(({ id }) => `null ${id}`),
  ];
}

/** Lines of the report that are also printed with `--quiet`. */
const ALWAYS_SHOWN = /^without a fault|SURVIVES|FAILED|PASSES/;

/** Describes what the self-test runs. */
function formatSelection({ members, faults, controls, idle }: Laboratory): string {
  const ofMembers = RANDOM_MEMBERS.map((member) => {
    const count = members.filter(({ file }) => file.startsWith(`${member}/`)).length;
    return `${count} of ${member}`;
  });
  return `mutants: ${ofMembers.join(", ")}, ${faults.length} on the wire; ` +
    `${pluralize(controls.length, "control")}; ${pluralize(idle.length, "null subject")}`;
}

function readCount(args: Arguments, name: string, fallback: number): number {
  const value = Number(args.text(name) ?? fallback);
  if (Number.isInteger(value) && value >= 1) return value;
  throw usageError(`Cannot use --${name}: the value must be a positive integer`);
}

async function testRandom(
  args: Arguments,
  io: CommandIo,
  settings: { readonly repository: URL; readonly jobs: number },
): Promise<number> {
  const members = args.texts("lib").length === 0 ? RANDOM_MEMBERS : args.texts("lib");
  const unknown = members.find((member) => !RANDOM_MEMBERS.includes(member));
  if (unknown !== undefined) {
    throw usageError(
      `Cannot use --lib "${unknown}": the value must be comm, runtime, mcp or internal`,
    );
  }
  const report = await testRandomMutants({
    ...settings,
    suite: loadSuite(),
    seed: readCount(args, "seed", 1),
    count: readCount(args, "count", 60),
    members,
    drawsExcluded: args.has("excluded"),
    only: args.texts("only"),
    signal: io.signal,
    onUnhealthy: (id) => {
      if (!args.has("json")) io.out(`problem: ${id} fails without a mutant\n`);
    },
    onResult: (result) => {
      const isShown = !args.has("quiet") || needsAttention(result);
      if (isShown && !args.has("json")) io.out(`${formatResult(result)}\n`);
    },
  });
  printRandom(report, members, { io, asJson: args.has("json") });
  return report.results.some(isContradicted) ? 1 : 0;
}

/** Prints the counts of each member and of all members. */
function printRandom(
  report: RandomReport,
  members: readonly string[],
  { io, asJson }: { readonly io: CommandIo; readonly asJson: boolean },
): void {
  const groups = new Map(members.map((member) => [member, [member]]));
  if (members.length > 1) groups.set("all", [...members]);
  const counts = [...groups].map(([name, group]) => [name, countRandom(report, group)] as const);
  if (asJson) {
    const { results } = report;
    io.out(`${JSON.stringify({ results, counts: Object.fromEntries(counts) }, null, 2)}\n`);
  } else {
    for (const [name, count] of counts) io.out(`${formatCounts(name, count)}\n`);
  }
}

if (import.meta.main) await runProgram(main);
