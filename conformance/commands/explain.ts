/**
 * `parley-kit explain`: shows a case or clause in detail.
 *
 * @module
 */

import clauses from "../spec/clauses.json" with { type: "json" };
import type { Case, WireStep } from "../kit/case.ts";
import { formatStates, statesOf } from "../kit/case_state.ts";
import type { Suite } from "../kit/load_cases.ts";
import { KIT_REQUIREMENTS } from "../kit/requirements.ts";
import { joinCommand } from "../kit/split_command.ts";
import { show } from "../kit/match_value.ts";
import type { ProviderTurn } from "../kit/provider_turn.ts";
import { type Flag, readArguments } from "../platform/read_arguments.ts";
import { caseRevision } from "../runner/case_digest.ts";
import { isForDriver } from "../runner/driver_executor.ts";
import { type Command, usageError } from "./command.ts";
import { findKnownFailures } from "./known_failures.ts";
import type { CommandIo } from "../kit/command_io.ts";
import { programName } from "./program_name.ts";
import { readNamedSuite } from "./select_flags.ts";
import { escapeText } from "../kit/escape_text.ts";

const FLAGS: Readonly<Record<string, Flag>> = { cases: { type: "string", multiple: true } };

/** The `explain` command. */
export const EXPLAIN: Command = {
  summary: "show a case or clause in detail",
  usage: `parley-kit explain ID [--cases FILE]

For a case (comm/channel/fifo): the requirement and its source, the state and
errata of the case, the reason, the implementations that are known to differ (if
the kit is run from its repository), the input and the expected result.
For a clause of the specification (COMM-TRANS-1): its text and its cases.
For a group of clauses (COMM-TRANS): the text of each clause.
  --cases FILE               read cases from this file instead of the kit's own
                             (repeatable)`,
  run: explainCommand,
};

async function explainCommand(words: readonly string[], io: CommandIo): Promise<number> {
  const args = readArguments(words, FLAGS);
  const [id, ...more] = args.words;
  if (id === undefined || more.length > 0) {
    throw usageError("Cannot explain: exactly one case id or clause id is required");
  }
  const suite = await readNamedSuite(args);
  const found = suite.get(id) ?? [...suite.values()].find(({ aliases }) => aliases?.includes(id));
  const program = programName(io.env);
  const files = args.texts("cases").flatMap((path) => ["--cases", path]);
  const lines = found === undefined
    ? [...explainTested(id, suite), ...explainGroup(id)]
    : [...await explainCase(found), `run       ${formatRun(program, found, files)}`];
  if (lines.length === 0) {
    const groups = listGroups(id);
    const hint = groups.length === 0
      ? `use "${program} list --clauses"`
      : `groups of clauses: ${groups.join(", ")}`;
    throw usageError(`Cannot explain "${id}": unknown case or clause; ${hint}`);
  }
  io.out(`${lines.flatMap((text) => text.split("\n")).map(escapeText).join("\n")}\n`);
  return 0;
}

/** Describes a clause and its cases. Returns an empty array if the clause is unknown. */
function explainTested(id: string, suite: Suite): readonly string[] {
  const clause = clauses.find((each) => each.id === id);
  if (clause === undefined) return [];
  const tests = [...suite.values()].filter((each) => each.clauses.includes(id));
  return [
    ...explainClause(id),
    ...clause.refs.map((ref) => `see       ${ref}`),
    `state     ${clause.state}${"reason" in clause ? `, ${clause.reason}` : ""}`,
    ...tests.map((each) => `tested by ${each.id}: ${each.title}`),
  ];
}

/** Returns the text of each clause in a group, such as `COMM-TRANS`. */
function explainGroup(group: string): readonly string[] {
  return clauses.filter(({ id }) => groupOf(id) === group).flatMap(({ id }) => explainClause(id));
}

/** Lists the clause groups of the library that an unknown id, such as `COMM-SIGN-1`, names. */
function listGroups(unknown: string): readonly string[] {
  const library = unknown.split("-")[0];
  const groups = new Set(clauses.map(({ id }) => groupOf(id)));
  return [...groups].filter((group) => group.startsWith(`${library}-`)).sort();
}

/** Returns the group of a clause: its id without the number. */
function groupOf(id: string): string {
  return id.replace(/-\d+$/, "");
}

async function explainCase(each: Case): Promise<readonly string[]> {
  return [
    `${each.id}  (rev ${caseRevision(each)})`,
    `  ${each.title}`,
    "",
    ...(each.file === undefined ? [] : [`file      ${each.file}`]),
    `level     ${each.level} (basis: ${each.basis})`,
    ...formatStates(statesOf(each, KIT_REQUIREMENTS)),
    ...each.clauses.flatMap(explainClause),
    ...(each.refs ?? []).map((ref) => `see       ${ref}`),
    `why       ${each.why}`,
    `source    ${each.source}`,
    ...(each.control === undefined ? [] : [`control   ${each.control}`]),
    ...(each.needs === undefined ? [] : [`needs     ${JSON.stringify(each.needs)}`]),
    ...(await findKnownFailures(each.id)).map((name) => `differs   ${name}`),
    "",
    ...explainSteps(each),
    "",
  ];
}

/** Formats the command that runs a case, with a placeholder for the subject's command. */
function formatRun(program: string, each: Case, files: readonly string[]): string {
  const more = joinCommand([...files, "--only", each.id, "--trace"]);
  return `${program} run ${subjectOf(each)} ${more}`;
}

/** Returns the command-line option for a subject that can run the case. */
function subjectOf(each: Case): string {
  if (isForDriver(each)) return "--driver CMD";
  if ("role" in each && each.role === "client") return "--client CMD";
  const { transports = ["stdio"] } = each.needs ?? {};
  return transports.includes("stdio") ? "--server CMD" : "--url URL";
}

function explainClause(id: string): readonly string[] {
  const clause = clauses.find((each) => each.id === id);
  if (clause === undefined) return [`clause    ${id}`];
  return [`clause    ${id} ${clause.text}`, `          ${clause.source}`];
}

function explainSteps(each: Case): readonly string[] {
  if (each.kind === "vector") {
    return each.rows.map(({ name, input, expect }) =>
      `${name === "" ? "" : `${name}: `}${each.op} ${show(input, 1000)}\n    → ${
        show(expect, 1000)
      }`
    );
  }
  if (each.kind === "invariant") {
    return [`the rule "${each.rule}" for every message of the subject during a run`];
  }
  const steps: readonly (object | WireStep)[] = each.steps;
  return [
    ...(each.kind === "provider" ? each.turns.map(describeTurn) : []),
    ...steps.map((step, index) => `${index + 1}. ${show(step, 1000)}`),
  ];
}

function describeTurn({ expect, reply }: ProviderTurn, index: number): string {
  const request = expect === undefined ? "any request" : show(expect, 1000);
  return `request ${index + 1}: ${request}; response: ${show(reply, 1000)}`;
}
