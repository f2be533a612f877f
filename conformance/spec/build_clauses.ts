/**
 * Writes clauses.json from the Markdown files in this folder, operations.json from PROTOCOL.md, and
 * the table of fixtures in PROTOCOL.md from fixtures.json, or checks that they are up to date and
 * that the clauses are consistent with the cases.
 *
 *     deno task spec
 *     deno task spec --check
 *
 * @module
 */

import process from "node:process";
import { loadSuite } from "../suite.ts";
import { type Clause, findProblems, parseClauses } from "./clauses.ts";
import fixtures from "./fixtures.json" with { type: "json" };
import { type Fixture, writeFixtures } from "./fixtures.ts";
import { parseOperations } from "./operations.ts";

/** Markdown files of the specification, in the order in which clauses.json lists their clauses. */
const FILES = ["comm.md", "core.md", "runtime.md", "agent_task.md", "mcp.md", "model.md"] as const;
const TARGET = new URL("clauses.json", import.meta.url);
const PROTOCOL = new URL("../PROTOCOL.md", import.meta.url);
// A test validates fixtures.json against its schema, so the cast is safe.
const FIXTURES = fixtures as readonly Fixture[];
const OPERATIONS = new URL("operations.json", import.meta.url);

/** Reads all clauses. */
export async function readClauses(): Promise<readonly Clause[]> {
  const texts = FILES.map((name) => Deno.readTextFile(new URL(name, import.meta.url)));
  return (await Promise.all(texts)).flatMap(parseClauses);
}

/** Formats clauses.json. */
export function formatClauses(clauses: readonly Clause[]): string {
  return `${JSON.stringify(clauses, null, 2)}\n`;
}

/** Returns PROTOCOL.md with the current table of fixtures. */
async function formatProtocol(): Promise<string> {
  return writeFixtures(await Deno.readTextFile(PROTOCOL), FIXTURES);
}

/** Formats operations.json. */
async function formatOperations(): Promise<string> {
  const operations = parseOperations(await Deno.readTextFile(PROTOCOL));
  return `${JSON.stringify(operations, null, 2)}\n`;
}

/**
 * Returns the inconsistencies in the specification, one per line. The list is empty if the
 * specification is consistent.
 */
export async function checkSpecification(): Promise<readonly string[]> {
  const clauses = await readClauses();
  const stale = [
    ...(await Deno.readTextFile(TARGET) === formatClauses(clauses) ? [] : ["clauses.json"]),
    ...(await Deno.readTextFile(OPERATIONS) === await formatOperations()
      ? []
      : ["operations.json"]),
    ...(await Deno.readTextFile(PROTOCOL) === await formatProtocol() ? [] : ["PROTOCOL.md"]),
  ];
  return [
    ...findProblems(clauses, [...loadSuite().values()]),
    ...stale.map((name) => `${name} is out of date: run deno task spec`),
  ];
}

/** Formats the number of clauses by state. */
function countStates(clauses: readonly Clause[]): string {
  const count = (state: Clause["state"]) => clauses.filter((each) => each.state === state).length;
  return `${clauses.length} clauses: ${count("tested")} tested, ${count("planned")} planned, ` +
    `${count("excluded")} excluded`;
}

if (import.meta.main) {
  const [flag] = process.argv.slice(2);
  if (flag !== undefined && flag !== "--check") {
    process.stderr.write("Usage: build_clauses.ts [--check]\n");
    process.exit(2);
  }
  const clauses = await readClauses();
  if (flag === undefined) {
    await Deno.writeTextFile(TARGET, formatClauses(clauses));
    await Deno.writeTextFile(OPERATIONS, await formatOperations());
    await Deno.writeTextFile(PROTOCOL, await formatProtocol());
  }
  const problems = await checkSpecification();
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(`${countStates(clauses)}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
